package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every test that docs/reliability.md names exists. */
final class ReliabilityTests {

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        String prose = Markdown.read(Markdown.ROOT.resolve("docs/reliability.md")).prose();
        List<MatchResult> named = Pattern.compile("`(\\w+Tests?)\\.(\\w+)`").matcher(prose).results().toList();

        assertThat(named).isNotEmpty();
        for (MatchResult test : named) {
            assertThat(sources(test.group(1))).as(test.group()).anyMatch(source -> source.contains("void " + test.group(2) + "("));
        }
    }

    private static List<String> sources(String type) throws IOException {
        try (Stream<Path> files = Files.walk(Markdown.ROOT)) {
            List<Path> found = files.filter(file -> file.endsWith(type + ".java")).toList();
            List<String> sources = new ArrayList<>();
            for (Path file : found) {
                sources.add(Files.readString(file));
            }
            return sources;
        }
    }
}
