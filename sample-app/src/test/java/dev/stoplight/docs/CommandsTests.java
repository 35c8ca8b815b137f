package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stoplight.sample.Instance;
import dev.stoplight.testing.RedisServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands for operators work as they stand in docs/, but for the ports. Those of the README are run by .ci/walk. */
final class CommandsTests {

    private static RedisServerProcess redis;
    private static Instance sample;

    static Stream<Markdown.Block> blocks() {
        return Markdown.blocks("shell")
                .filter(block -> block.file().startsWith(Markdown.ROOT.resolve("docs")))
                .filter(block -> !block.text().startsWith("mvn "));
    }

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
        sample = new Instance("--spring.data.redis.port=" + redis.port());
    }

    @AfterAll
    static void stop() {
        sample.close();
        redis.close();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void aBlockOfCommandsSucceeds(Markdown.Block block, @TempDir Path directory) throws IOException, InterruptedException {
        Stream.of("bash", "curl", "redis-cli")
                .filter(block.text()::contains)
                .forEach(tool -> assumeTrue(isInstalled(tool), tool + " is not installed"));
        // Something to look at: a light that has failed and recovered.
        sample.json("PUT", "/provider?error-rate=100");
        sample.json("POST", "/orders");
        sample.json("PUT", "/provider?error-rate=0");
        sample.json("POST", "/orders");

        String script = "set -e\ncurl() { command curl -fsS \"$@\"; }\n"
                + block.text().replace("localhost:8080", "127.0.0.1:" + sample.port()).replace("-p 16379", "-p " + redis.port());
        File output = directory.resolve("output").toFile();
        Process shell = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true).redirectOutput(output).start();

        assertThat(shell.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(shell.exitValue()).as(script + Files.readString(output.toPath())).isZero();
    }

    @Test
    void mavensCommandsAreAmongThoseOfTheReadme() {
        List<String> run = Markdown.read(Markdown.ROOT.resolve("README.md")).blocks().stream().flatMap(block -> block.text().lines()).toList();

        assertThat(Markdown.blocks("shell").flatMap(block -> block.text().lines()).filter(line -> line.startsWith("mvn "))).allMatch(run::contains);
    }

    private static boolean isInstalled(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(dir -> Files.isExecutable(Path.of(dir, tool)));
    }
}
