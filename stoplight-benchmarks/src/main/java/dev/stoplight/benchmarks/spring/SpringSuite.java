package dev.stoplight.benchmarks.spring;

import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.JmhRuns;
import dev.stoplight.benchmarks.harness.JmhRuns.Score;
import dev.stoplight.benchmarks.harness.JmhRuns.Subject;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Report;
import dev.stoplight.benchmarks.harness.Sample;
import dev.stoplight.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.openjdk.jmh.runner.RunnerException;

/** Our annotation against Resilience4j's, over what any interceptor costs. */
public final class SpringSuite {

    private static final double SHARE = 0.20;
    private static final double METRICS = 1.10;

    private static final List<Bean> BEANS = List.of(
            new Bean("bare", "bare bean"),
            new Bean("noOp", "no-op interceptor"),
            new Bean("stoplight", "Stoplight"),
            new Bean("stoplightMeasured", "Stoplight with metrics"),
            new Bean("resilience4j", "Resilience4j"));

    private record Bean(String method, String label) {}

    private final Map<Subject, Score> scores;

    private SpringSuite(Map<Subject, Score> scores) {
        this.scores = scores;
    }

    public static Report run(Options options) throws RunnerException {
        List<Subject> subjects = new ArrayList<>();
        for (int threads = 1; threads <= 2; threads++) {
            for (Bean bean : BEANS) {
                subjects.add(new Subject(SpringBenchmark.class, bean.method, threads));
            }
        }
        SpringSuite suite = new SpringSuite(JmhRuns.measure(subjects, options));
        Findings findings = new Findings();
        findings.note("Medians over all iterations. \"share\" is what is added over the no-op interceptor, as a part of what Resilience4j adds.");
        for (int threads = 1; threads <= 2; threads++) {
            suite.report(findings, threads);
        }
        return Report.of("spring", options, findings);
    }

    private void report(Findings findings, int threads) {
        String title = "A healthy call of a Spring bean, " + (threads == 1 ? "1 thread" : threads + " threads");
        List<Table.Row> rows = new ArrayList<>();
        List<Chart.Bar> bars = new ArrayList<>();
        for (Bean bean : BEANS) {
            Score score = scores.get(new Subject(SpringBenchmark.class, bean.method, threads));
            if (score != null) {
                rows.add(new Table.Row(
                        bean.label, score.nanos().median(), added(bean.method, threads), share(bean.method, threads),
                        score.cpuNanos().median(), score.bytes().median()));
                bars.add(Chart.Bar.of(bean.label, score.nanos()));
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        findings.add(new Table(title, List.of("ns", "over no-op", "share", "cpu ns", "B/call"), rows));
        findings.add(new Chart.Bars(title, "ns", bars));
        String with = threads == 1 ? " with 1 thread" : " with " + threads + " threads";
        promise(findings, "What Stoplight adds to an interceptor" + with + ", of what Resilience4j adds", share("stoplight", threads), SHARE);
        promise(
                findings,
                "A call with metrics" + with + ", of one without",
                cpuNanos("stoplightMeasured", threads) / cpuNanos("stoplight", threads),
                METRICS);
    }

    private static void promise(Findings findings, String what, double measured, double limit) {
        if (!Double.isNaN(measured)) {
            findings.add(Promise.atMost(what, measured, limit, ""));
        }
    }

    private double share(String method, int threads) {
        return added(method, threads) / added("resilience4j", threads);
    }

    private double added(String method, int threads) {
        return nanos(method, threads) - nanos("noOp", threads);
    }

    private double nanos(String method, int threads) {
        return median(method, threads, Score::nanos);
    }

    private double cpuNanos(String method, int threads) {
        return median(method, threads, Score::cpuNanos);
    }

    private double median(String method, int threads, Function<Score, Sample> figure) {
        Score score = scores.get(new Subject(SpringBenchmark.class, method, threads));
        return score == null ? Double.NaN : figure.apply(score).median();
    }
}
