package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The tables in docs/performance.md are what the benchmarks wrote into docs/figures, to the digit. */
final class PerformanceTests {

    static List<Path> figures() throws IOException {
        try (Stream<Path> files = Files.list(Markdown.ROOT.resolve("docs/figures"))) {
            return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("figures")
    void everyTableIsShownAsItWasMeasured(Path file) {
        JsonNode figures = JsonMapper.builder().build().readTree(file.toFile());
        Set<String> shown = shown();

        assertThat(figures.path("quick").asBoolean()).as("a quick run proves nothing").isFalse();
        assertThat(figures.path("tables").valueStream().flatMap(PerformanceTests::lines)).allMatch(shown::contains);
    }

    @Test
    void theReadmeShowsTheSameFigures() {
        String readme = Markdown.read(Markdown.ROOT.resolve("README.md")).prose();
        String section = readme.substring(readme.indexOf("## Figures"), readme.indexOf("## Configuration"));

        assertThat(section.lines().filter(line -> line.startsWith("| "))).isNotEmpty().allMatch(shown()::contains);
    }

    private static Set<String> shown() {
        return Markdown.read(Markdown.ROOT.resolve("docs/performance.md")).prose().lines().collect(Collectors.toSet());
    }

    private static Stream<String> lines(JsonNode table) {
        if (table.path("rows").isEmpty()) {
            return Stream.empty();
        }
        Stream<String> columns = table.path("columns").valueStream().map(JsonNode::asString);
        Stream<String> header = Stream.of("| " + table.path("title").asString() + " | " + columns.collect(Collectors.joining(" | ")) + " |");
        return Stream.concat(header, table.path("rows").valueStream().map(PerformanceTests::row));
    }

    private static String row(JsonNode row) {
        return "| " + row.path("label").asString() + " | "
                + row.path("figures").valueStream().map(PerformanceTests::figure).collect(Collectors.joining(" | ")) + " |";
    }

    /** As the benchmarks print it: whole, or with three digits that count. */
    private static String figure(JsonNode node) {
        double value = node.asDouble();
        if (!node.isNumber()) {
            return "";
        }
        int decimals = value == Math.rint(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
