package dev.stoplight.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the harness works; what it measures is nobody's business here. */
class MainTest {

    @TempDir
    Path folder;

    /** JMH refuses to run twice on one machine, which protects figures; here it would only fail a build beside another. */
    @BeforeAll
    static void figuresDoNotMatter() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    @Test
    void aQuickRunOfTwoBenchmarksWritesFiguresAndPlot() throws Exception {
        Main.main(new String[] {
            "core", "--quick", "--only", "Closed.*(stoplightCount|resilience4jCount)@1", "--output", folder.toString()
        });

        JsonNode json = JsonMapper.shared().readTree(Files.readString(folder.resolve("core.json")));
        JsonNode rows = json.at("/tables/0/rows");
        assertThat(rows).hasSize(2);
        assertThat(rows.get(0).at("/label").asString()).isEqualTo("Stoplight count");
        assertThat(rows.get(0).at("/figures/0").asDouble()).isPositive();
        assertThat(json.at("/promises")).hasSize(2);
        assertThat(folder.resolve("core.svg")).content().contains("Resilience4j count-based");
    }

    @Test
    void aQuickRunAgainstARealRedisWritesFiguresAndPlot() throws Exception {
        Main.main(new String[] {"redis", "--quick", "--only", "traffic|propagation", "--output", folder.toString()});

        JsonNode json = JsonMapper.shared().readTree(Files.readString(folder.resolve("redis.json")));
        assertThat(json.at("/tables/0/title").asString()).isEqualTo("Commands");
        assertThat(json.at("/tables/1/rows/1/label").asString()).isEqualTo("Stoplight, from the call's return");
        assertThat(folder.resolve("redis.svg")).content().contains("bare PUBLISH");
    }

    @Test
    void aQuickRunOfASpringApplicationWritesFiguresAndPlot() throws Exception {
        Main.main(new String[] {"spring", "--quick", "--only", "(stoplightMeasured|resilience4jEventless)@1", "--output", folder.toString()});

        JsonNode json = JsonMapper.shared().readTree(Files.readString(folder.resolve("spring.json")));
        assertThat(json.at("/tables/0/rows")).hasSize(2);
        assertThat(folder.resolve("spring.svg")).content().contains("Stoplight with metrics");
    }

    @Test
    void anUnknownSuiteIsRefusedWithTheUsage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Main.main(new String[] {"cores"}))
                .withMessageStartingWith("unknown suite 'cores'; usage: ");
    }

    @Test
    void anOptionWithoutItsValueIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Main.main(new String[] {"core", "--only"}))
                .withMessageStartingWith("unknown or incomplete option '--only'; usage: ");
    }
}
