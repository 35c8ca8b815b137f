package dev.stoplight.benchmarks.redis;

import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Table;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** How far recording is from the least that a script can cost: {@code redis-benchmark} with a script that does nothing. */
final class EmptyScript {

    private EmptyScript() {}

    static void measure(RedisLab lab, Options options, Findings findings, double recordsPerSecond)
            throws IOException, InterruptedException {
        Optional<Path> program = program();
        if (program.isEmpty()) {
            findings.note("redis-benchmark is not installed, so recording was not compared with an empty script.");
            return;
        }
        Map<String, RedisLab.Use> recording = lab.commands();
        double ours = microsPerScript(recording, Map.of());
        String sha = lab.redis().scriptLoad("return 1");
        Process process = new ProcessBuilder(
                        program.get().toString(),
                        "-h", "127.0.0.1",
                        "-p", Integer.toString(lab.port()),
                        "-c", Integer.toString(Contention.RECORDERS),
                        "-n", options.quick() ? "5000" : "200000",
                        "--csv",
                        "evalsha", sha, "0")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException("redis-benchmark failed: " + output);
        }
        double empty = requestsPerSecond(output);
        double emptyMicros = microsPerScript(lab.commands(), recording);
        List<Table.Row> rows = new ArrayList<>();
        rows.add(new Table.Row("empty script, redis-benchmark", empty, 1.0, emptyMicros));
        rows.add(new Table.Row("a failure, Stoplight", recordsPerSecond, recordsPerSecond / empty, ours));
        findings.add(new Table(
                "Recording by " + Contention.RECORDERS + " at once against an empty script",
                List.of("per second", "ratio", "µs in Redis"),
                rows));
    }

    private static double microsPerScript(Map<String, RedisLab.Use> now, Map<String, RedisLab.Use> before) {
        RedisLab.Use none = new RedisLab.Use(0, 0);
        RedisLab.Use after = now.getOrDefault("evalsha", none);
        RedisLab.Use earlier = before.getOrDefault("evalsha", none);
        return (double) (after.micros() - earlier.micros()) / (after.calls() - earlier.calls());
    }

    /** The second field of the last line, which may be quoted. */
    private static double requestsPerSecond(String csv) {
        String[] lines = csv.strip().split("\n");
        String[] fields = lines[lines.length - 1].split("\",\"");
        if (fields.length < 2) {
            throw new IllegalStateException("redis-benchmark said something unexpected: " + csv);
        }
        return Double.parseDouble(fields[1].replace("\"", ""));
    }

    private static Optional<Path> program() {
        return Stream.ofNullable(System.getenv("PATH"))
                .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
                .map(folder -> Path.of(folder, "redis-benchmark"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
