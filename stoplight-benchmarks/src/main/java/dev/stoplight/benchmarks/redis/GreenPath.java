package dev.stoplight.benchmarks.redis;

import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.JmhRuns;
import dev.stoplight.benchmarks.harness.JmhRuns.Score;
import dev.stoplight.benchmarks.harness.JmhRuns.Subject;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** A healthy call must not notice that its light is in Redis. */
final class GreenPath {

    private static final List<String> MODES = List.of("Consecutive", "Count", "Rate");
    private static final double LIMIT = 1.10;

    private GreenPath() {}

    static void measure(RedisLab lab, Options options, Findings findings) throws RunnerException {
        List<Subject> subjects = new ArrayList<>();
        for (int threads = 1; threads <= 2; threads++) {
            for (String mode : MODES) {
                subjects.add(subject("memory", mode, threads));
                subjects.add(subject("redis", mode, threads));
            }
        }
        Options all = new Options(options.output(), options.quick(), Options.EVERYTHING);
        Map<Subject, Score> scores = JmhRuns.measure(subjects, all, Duration.ofSeconds(2), "-D" + GreenBenchmark.REDIS + "=" + lab.uri());

        List<Table.Row> rows = new ArrayList<>();
        List<Chart.Bar> bars = new ArrayList<>();
        for (int threads = 1; threads <= 2; threads++) {
            for (String mode : MODES) {
                String label = mode.toLowerCase(Locale.ROOT) + (threads == 1 ? ", 1 thread" : ", " + threads + " threads");
                Score memory = score(scores, subject("memory", mode, threads));
                Score redis = score(scores, subject("redis", mode, threads));
                double ratio = redis.cpuNanos().median() / memory.cpuNanos().median();
                rows.add(new Table.Row(
                        label,
                        memory.cpuNanos().median(),
                        redis.cpuNanos().median(),
                        ratio,
                        memory.nanos().median(),
                        redis.nanos().median(),
                        redis.nanos().median() / memory.nanos().median(),
                        redis.bytes().median()));
                bars.add(Chart.Bar.of("memory, " + label, memory.cpuNanos()));
                bars.add(Chart.Bar.of("redis, " + label, redis.cpuNanos()));
                findings.add(Promise.atMost("A healthy call with the Redis store, of the memory store's, " + label, ratio, LIMIT, ""));
            }
        }
        findings.add(new Table(
                "A healthy call, light green: processor time, and time on the clock",
                List.of("memory cpu ns", "redis cpu ns", "ratio", "memory ns", "redis ns", "ratio", "redis B/call"),
                rows));
        findings.add(new Chart.Bars("A healthy call, light green, processor time", "ns", bars));
    }

    private static Subject subject(String store, String mode, int threads) {
        return new Subject(GreenBenchmark.class, store + mode, threads);
    }

    private static Score score(Map<Subject, Score> scores, Subject subject) {
        Score score = scores.get(subject);
        if (score == null) {
            throw new IllegalStateException(subject.name() + " was not measured");
        }
        return score;
    }
}
