package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerSettings;
import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Figures;
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
 * <p>The promise is about the time from the return of the failed call, since its own cost is measured elsewhere, next to the
 * time from sending a PUBLISH until it is noticed. Both are also shown from the start: there a trip takes longer than twice a
 * PUBLISH, because Redis first records and decides. From the return of the PUBLISH itself nothing could be compared: Redis sends
 * message and reply at the same moment, so that this is about zero and often negative.
 *
 * <p>Times are taken in two JVMs. On Linux {@code System.nanoTime} is CLOCK_MONOTONIC, one clock for the whole machine; that
 * it is, is checked before anything is measured.
 */
final class Propagation implements AutoCloseable {

    /** Milliseconds until the other JVM noticed. */
    private static final class Times {
        private final List<Double> fromStart = new ArrayList<>();
        private final List<Double> fromReturn = new ArrayList<>();
    }

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
        Times light = new Times();
        Times message = new Times();
        BreakerSettings settings = BreakerSettings.builder().threshold(1).coolOff(Duration.ofHours(1)).build();
        try (Propagation propagation = new Propagation(lab.uri());
                Node node = new Node(lab.uri(), settings);
                StatefulRedisConnection<String, String> bare = lab.connect()) {
            propagation.compareClocks();
            Breaker breaker = node.registry.breaker(Follower.BREAKER);
            for (int i = 0; i < warmUp + trips; i++) {
                boolean warm = i >= warmUp;
                propagation.time("message", () -> bare.sync().publish(Follower.CHANNEL, "now"), warm ? message : new Times());
                propagation.time("light", () -> Node.fail(breaker), warm ? light : new Times());
                breaker.reset();
            }
        }
        report(findings, light, message);
    }

    private void time(String task, Runnable cause, Times times) throws IOException {
        tasks.println(task);
        expect("ready");
        // Not always in step with whatever else happens regularly.
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(2000)));
        long start = System.nanoTime();
        cause.run();
        long returned = System.nanoTime();
        long noticed = answer();
        times.fromStart.add((noticed - start) / 1e6);
        times.fromReturn.add((noticed - returned) / 1e6);
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
        String line = line();
        if (!wanted.equals(line)) {
            throw new IllegalStateException("the other JVM said '" + line + "' instead of '" + wanted + "'");
        }
    }

    private long answer() throws IOException {
        return Long.parseLong(line());
    }

    private String line() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IllegalStateException("the other JVM has ended");
        }
        return line;
    }

    private static void report(Findings findings, Times light, Times message) {
        Sample ours = Sample.of(light.fromReturn);
        Sample whole = Sample.of(light.fromStart);
        Sample bare = Sample.of(message.fromStart);
        findings.add(Promise.atMost(
                "From a failed call's return to the first rejection elsewhere, median, of a bare PUBLISH's",
                ours.median() / bare.median(), 2, ""));
        findings.add(Promise.atMost(
                "From a failed call's return to the first rejection elsewhere, p99, of a bare PUBLISH's",
                ours.percentile(99) / bare.percentile(99), 3, ""));
        findings.note("From the start of the failed call, so with Redis recording and deciding, a trip takes "
                + Figures.format(whole.median() / bare.median()) + " times a bare PUBLISH (median), "
                + Figures.format(whole.percentile(99) / bare.percentile(99)) + " times (p99).");
        findings.add(new Table(
                "A trip until the first rejection in another JVM, ms",
                List.of("trips", "min", "median", "p90", "p99", "max"),
                List.of(
                        row("bare PUBLISH, from its start", bare),
                        row("Stoplight, from the call's return", ours),
                        row("Stoplight, from the call's start", whole),
                        row("bare PUBLISH, from its return", Sample.of(message.fromReturn)))));
        findings.add(new Chart.Bars(
                "A trip until the first rejection in another JVM",
                "ms",
                List.of(
                        Chart.Bar.of("bare PUBLISH, from its start", bare),
                        Chart.Bar.of("Stoplight, from the call's return", ours),
                        Chart.Bar.of("Stoplight, from the call's start", whole))));
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
