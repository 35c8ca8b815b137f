package dev.stoplight.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {

    private static final Table TABLE = new Table(
            "Times", List.of("ns", "ratio"), List.of(new Table.Row("direct", 2.0, Double.NaN), new Table.Row("a <breaker> & co", 1234.0, 0.125)));

    @TempDir
    Path folder;

    @Test
    void aTableIsAlignedText() {
        assertThat(TABLE.text()).isEqualTo("""
                Times
                                       ns  ratio
                  direct                2      -
                  a <breaker> & co  1,234  0.125
                """);
    }

    @Test
    void aRowMustHaveAFigureForEachColumn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Table("Times", List.of("ns"), List.of(new Table.Row("direct", 1.0, 2.0))))
                .withMessage("row 'direct' must have 1 figures, had 2");
    }

    @Test
    void aPromiseSaysWhetherItWasKept() {
        assertThat(Promise.atMost("a call", 0.1, 0.15, "").line()).isEqualTo("PASS  a call: 0.100, promised ≤ 0.150");
        assertThat(Promise.below("a rejection", 150, 150, "B").line()).isEqualTo("FAIL  a rejection: 150 B, promised < 150 B");
        assertThat(Promise.atLeast("throughput", 7.5, 5, "").kept()).isTrue();
        assertThat(Promise.atMost("nothing measured", Double.NaN, 5, "").kept()).isFalse();
    }

    @Test
    void jsonHoldsTablesAndPromises() throws Exception {
        report(List.of()).write(folder);

        JsonNode json = JsonMapper.shared().readTree(Files.readString(folder.resolve("demo.json")));
        assertThat(json.at("/suite").asString()).isEqualTo("demo");
        assertThat(json.at("/tables/0/rows/1/figures/0").asDouble()).isEqualTo(1234);
        assertThat(json.at("/promises/0/kept").asBoolean()).isFalse();
        assertThat(json.at("/machine/processors").asInt()).isPositive();
    }

    @Test
    void thePlotIsWellFormedAndShowsEveryChart() throws Exception {
        Chart bars = new Chart.Bars("Bars", "ns", List.of(new Chart.Bar("a <breaker> & co", 12, 11, 15), new Chart.Bar("none", 0, 0, 0)));
        Chart lines = new Chart.Lines(
                "Lines", "recorders", "calls/s", List.of(new Chart.Line("script", List.of(new Chart.Point(1, 5000), new Chart.Point(64, 20000)))));
        Chart flat = new Chart.Lines("One point", "x", "y", List.of(new Chart.Line("only", List.of(new Chart.Point(1, 1)))));
        report(List.of(bars, lines, flat)).write(folder);

        byte[] svg = Files.readAllBytes(folder.resolve("demo.svg"));
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(svg));
        assertThat(document.getDocumentElement().getTextContent())
                .contains("Bars", "a <breaker> & co", "12 ns", "Lines", "recorders", "script", "One point");
        assertThat(new String(svg, StandardCharsets.UTF_8)).doesNotContain("NaN", "Infinity");
    }

    @Test
    void aBrokenPromiseShowsInTheReport() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report(List.of()).print(new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(report(List.of()).kept()).isFalse();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("Times", "FAIL  a call: 0.200, promised ≤ 0.150");
    }

    private static Report report(List<Chart> charts) {
        Options options = new Options(Path.of("."), false, Options.EVERYTHING);
        Findings findings = new Findings();
        findings.note("a note");
        findings.add(TABLE);
        findings.add(Promise.atMost("a call", 0.2, 0.15, ""));
        charts.forEach(findings::add);
        return Report.of("demo", options, findings);
    }
}
