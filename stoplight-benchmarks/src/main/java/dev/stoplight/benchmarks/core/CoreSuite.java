package dev.stoplight.benchmarks.core;

import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.JmhRuns;
import dev.stoplight.benchmarks.harness.JmhRuns.Score;
import dev.stoplight.benchmarks.harness.JmhRuns.Subject;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Report;
import dev.stoplight.benchmarks.harness.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.runner.RunnerException;

/** Our breaker with its memory store against Resilience4j and Failsafe. */
public final class CoreSuite {

    /** For rejections, Resilience4j at its best: without the stack trace that it writes by default. */
    private static final Map<Class<?>, String> BASELINE =
            Map.of(ClosedBenchmark.class, "resilience4jCount", OpenBenchmark.class, "resilience4jTraceless");

    private static final int[] THREADS = {1, 2};

    private static final Map<String, String> CLOSED = labels(
            "direct", "called directly",
            "volatileCheck", "volatile check",
            "stoplightConsecutive", "Stoplight consecutive",
            "stoplightCount", "Stoplight count",
            "stoplightRate", "Stoplight rate",
            "resilience4jCount", "Resilience4j count-based",
            "resilience4jTime", "Resilience4j time-based",
            "failsafe", "Failsafe");

    private static final Map<String, String> OPEN = labels(
            "stoplight", "Stoplight",
            "resilience4jCount", "Resilience4j count-based",
            "resilience4jTraceless", "Resilience4j, no stack trace",
            "resilience4jTime", "Resilience4j time-based",
            "failsafe", "Failsafe");

    private final Map<Subject, Score> scores;

    private CoreSuite(Map<Subject, Score> scores) {
        this.scores = scores;
    }

    public static Report run(Options options) throws RunnerException {
        List<Subject> subjects = new ArrayList<>();
        for (int threads : THREADS) {
            CLOSED.keySet().forEach(method -> subjects.add(new Subject(ClosedBenchmark.class, method, threads)));
            OPEN.keySet().forEach(method -> subjects.add(new Subject(OpenBenchmark.class, method, threads)));
        }
        CoreSuite suite = new CoreSuite(JmhRuns.measure(subjects, options, Duration.ofSeconds(2)));
        Findings findings = new Findings();
        findings.note("Medians over all iterations. \"of R4j\" is the ratio to Resilience4j count-based with as many threads,");
        findings.note("and for rejections to it without the stack trace that it writes by default.");
        suite.table(findings, "A healthy call, light green", ClosedBenchmark.class, CLOSED);
        suite.table(findings, "A rejection, light red", OpenBenchmark.class, OPEN);
        suite.promises(findings);
        suite.charts(findings);
        return Report.of("core", options, findings);
    }

    private void table(Findings findings, String title, Class<?> type, Map<String, String> labels) {
        List<Table.Row> rows = new ArrayList<>();
        labels.forEach((method, label) -> {
            if (score(type, method, 1).isPresent() || score(type, method, 2).isPresent()) {
                rows.add(new Table.Row(
                        label,
                        nanos(type, method, 1),
                        ratio(type, method, 1),
                        nanos(type, method, 2),
                        ratio(type, method, 2),
                        bytes(type, method)));
            }
        });
        if (!rows.isEmpty()) {
            findings.add(new Table(title, List.of("1 thread ns", "of R4j", "2 threads ns", "of R4j", "B/call"), rows));
        }
    }

    private void promises(Findings findings) {
        for (String method : List.of("stoplightConsecutive", "stoplightCount")) {
            promise(findings, ClosedBenchmark.class, method, 1, 0.15);
            promise(findings, ClosedBenchmark.class, method, 2, 0.10);
            score(ClosedBenchmark.class, method, 1).ifPresent(score -> findings.add(Promise.atMost(
                    CLOSED.get(method) + ", allocation per call", Math.floor(bytes(score)), 0, "B")));
        }
        promise(findings, ClosedBenchmark.class, "stoplightRate", 1, 0.40);
        promise(findings, ClosedBenchmark.class, "stoplightRate", 2, 0.40);
        promise(findings, OpenBenchmark.class, "stoplight", 1, 0.25);
        promise(findings, OpenBenchmark.class, "stoplight", 2, 0.25);
        score(OpenBenchmark.class, "stoplight", 1).ifPresent(score -> findings.add(Promise.below(
                "Stoplight, allocation per rejection", bytes(score), 150, "B")));
    }

    private void promise(Findings findings, Class<?> type, String method, int threads, double limit) {
        double ratio = ratio(type, method, threads);
        if (!Double.isNaN(ratio)) {
            boolean closed = type == ClosedBenchmark.class;
            String what = (closed ? CLOSED : OPEN).get(method) + (closed ? ", a call" : ", a rejection");
            findings.add(Promise.atMost(
                    what + " with " + threads + (threads == 1 ? " thread" : " threads") + ", of Resilience4j's", ratio, limit, ""));
        }
    }

    private void charts(Findings findings) {
        for (int threads : THREADS) {
            String with = threads == 1 ? "1 thread" : threads + " threads";
            chart(findings, "A healthy call, " + with, ClosedBenchmark.class, CLOSED, threads);
            chart(findings, "A rejection, " + with, OpenBenchmark.class, OPEN, threads);
        }
    }

    private void chart(Findings findings, String title, Class<?> type, Map<String, String> labels, int threads) {
        List<Chart.Bar> bars = new ArrayList<>();
        labels.forEach((method, label) ->
                score(type, method, threads).ifPresent(score -> bars.add(Chart.Bar.of(label, score.nanos()))));
        if (!bars.isEmpty()) {
            findings.add(new Chart.Bars(title, "ns", bars));
        }
    }

    private Optional<Score> score(Class<?> type, String method, int threads) {
        return Optional.ofNullable(scores.get(new Subject(type, method, threads)));
    }

    private double nanos(Class<?> type, String method, int threads) {
        return value(type, method, threads, score -> score.nanos().median());
    }

    private double ratio(Class<?> type, String method, int threads) {
        return nanos(type, method, threads) / baseline(type, threads);
    }

    private double baseline(Class<?> type, int threads) {
        return nanos(type, Objects.requireNonNull(BASELINE.get(type)), threads);
    }

    private double bytes(Class<?> type, String method) {
        return value(type, method, score(type, method, 1).isPresent() ? 1 : 2, CoreSuite::bytes);
    }

    private static double bytes(Score score) {
        return score.bytes().median();
    }

    private double value(Class<?> type, String method, int threads, ToDoubleFunction<Score> figure) {
        return score(type, method, threads).map(score -> figure.applyAsDouble(score)).orElse(Double.NaN);
    }

    private static Map<String, String> labels(String... pairs) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            labels.put(pairs[i], pairs[i + 1]);
        }
        return labels;
    }
}
