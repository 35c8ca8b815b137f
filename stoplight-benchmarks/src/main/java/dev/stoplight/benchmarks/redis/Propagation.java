package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerSettings;
import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Sample;
import dev.stoplight.benchmarks.harness.Table;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How soon a light that turned red here rejects in another JVM, next to a bare PUBLISH that is noticed there in the same way.
 *
 * <p>Times are taken in two JVMs. On Linux {@code System.nanoTime} is CLOCK_MONOTONIC, one clock for the whole machine; that
 * it is, is checked before anything is measured.
 */
final class Propagation implements AutoCloseable {

    private final Process process;
    private final PrintStream tasks;
    private final BufferedReader answers;
    private final Random random = new Random(1);

    private Propagation(String uri) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp", System.getProperty("java.class.path"),
                        Follower.class.getName(),
                        uri)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        tasks = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static void measure(RedisLab lab, Options options, Findings findings) throws Exception {
        int trips = options.quick() ? 10 : 200;
        int warmUp = options.quick() ? 10 : 400;
        List<Double> light = new ArrayList<>();
        List<Double> message = new ArrayList<>();
        BreakerSettings settings = BreakerSettings.builder().threshold(1).coolOff(Duration.ofHours(1)).build();
        try (Propagation propagation = new Propagation(lab.uri());
                Node node = new Node(lab.uri(), settings);
                StatefulRedisConnection<String, String> bare = lab.connect()) {
            propagation.compareClocks();
            Breaker breaker = node.registry.breaker(Follower.BREAKER);
            for (int i = 0; i < warmUp + trips; i++) {
                double ofMessage = propagation.time("message", () -> bare.sync().publish(Follower.CHANNEL, "now"));
                double ofLight = propagation.time("light", () -> Node.fail(breaker));
                breaker.reset();
                if (i >= warmUp) {
                    message.add(ofMessage);
                    light.add(ofLight);
                }
            }
        }
        report(findings, Sample.of(light), Sample.of(message));
    }

    /** Milliseconds from the return of the cause here until the other JVM noticed. */
    private double time(String task, Runnable cause) throws IOException {
        tasks.println(task);
        expect("ready");
        // Not always in step with whatever else happens regularly.
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(2000)));
        cause.run();
        long returned = System.nanoTime();
        return (answer() - returned) / 1e6;
    }

    private void compareClocks() throws IOException {
        long before = System.nanoTime();
        tasks.println("clock");
        long there = answer();
        long after = System.nanoTime();
        if (there < before || there > after) {
            throw new IllegalStateException(
                    "the JVMs' clocks differ: " + there + " is not between " + before + " and " + after + ", so nothing can be measured");
        }
    }

    private void expect(String wanted) throws IOException {
        String line = answers.readLine();
        if (!wanted.equals(line)) {
            throw new IllegalStateException("the other JVM said '" + line + "' instead of '" + wanted + "'");
        }
    }

    private long answer() throws IOException {
        return Long.parseLong(answers.readLine());
    }

    private static void report(Findings findings, Sample light, Sample message) {
        findings.add(Promise.atMost("A trip reaches another JVM, median, of a bare PUBLISH's", light.median() / message.median(), 2, ""));
        findings.add(Promise.atMost("A trip reaches another JVM, p99, of a bare PUBLISH's", light.percentile(99) / message.percentile(99), 3, ""));
        findings.add(new Table(
                "From the failed call's return here to the first rejection in another JVM, ms",
                List.of("trips", "min", "median", "p90", "p99", "max"),
                List.of(row("bare PUBLISH", message), row("Stoplight", light))));
        findings.add(new Chart.Bars(
                "From the failed call's return here to the first rejection in another JVM",
                "ms",
                List.of(Chart.Bar.of("bare PUBLISH", message), Chart.Bar.of("Stoplight", light))));
    }

    private static Table.Row row(String label, Sample sample) {
        return new Table.Row(
                label,
                (double) sample.sorted().length,
                sample.percentile(0),
                sample.median(),
                sample.percentile(90),
                sample.percentile(99),
                sample.percentile(100));
    }

    @Override
    public void close() {
        tasks.close();
        try {
            if (process.waitFor(10, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
