package dev.stoplight.benchmarks.spring;

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
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** Our annotation against Resilience4j's, over what any interceptor costs. */
public final class SpringSuite {

    /** Resilience4j at its best. */
    private static final String BASELINE = "resilience4jEventless";

    private static final double SHARE = 0.20;
    private static final double METRICS = 1.10;

    private static final List<Bean> BEANS = List.of(
            new Bean("bare", "bare bean"),
            new Bean("noOp", "no-op interceptor"),
            new Bean("stoplight", "Stoplight"),
            new Bean("stoplightMeasured", "Stoplight with metrics"),
            new Bean("resilience4j", "Resilience4j"),
            new Bean(BASELINE, "Resilience4j without events"));

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
        SpringSuite suite = new SpringSuite(JmhRuns.measure(subjects, options, Duration.ofSeconds(10)));
        Findings findings = new Findings();
        findings.note("Medians over all iterations. \"added\" is processor time over that of the no-op interceptor, \"share\" its part of what");
        findings.note("Resilience4j adds without the event that its starter keeps of every call.");
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
                        bean.label,
                        score.cpuNanos().median(),
                        added(bean.method, threads),
                        share(bean.method, threads),
                        score.nanos().median(),
                        score.bytes().median()));
                bars.add(Chart.Bar.of(bean.label, score.cpuNanos()));
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        findings.add(new Table(title, List.of("cpu ns", "added", "share", "ns", "B/call"), rows));
        findings.add(new Chart.Bars(title + ", processor time", "ns", bars));
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
        return added(method, threads) / added(BASELINE, threads);
    }

    private double added(String method, int threads) {
        return cpuNanos(method, threads) - cpuNanos("noOp", threads);
    }

    private double cpuNanos(String method, int threads) {
        Score score = scores.get(new Subject(SpringBenchmark.class, method, threads));
        return score == null ? Double.NaN : score.cpuNanos().median();
    }
}
