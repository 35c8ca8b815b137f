package dev.stoplight.benchmarks.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures benchmarks side by side: in each round every one of them runs once, in a JVM of its own and in an order of that
 * round's own, so that whatever else happens on the machine hits all of them alike.
 */
public final class JmhRuns {

    private static final String ALLOCATION = "gc.alloc.rate.norm";

    /** A benchmark method, run by so many threads; its name is {@code Class.method@threads}. */
    public record Subject(Class<?> type, String method, int threads) {

        public String name() {
            return type.getSimpleName() + "." + method + "@" + threads;
        }
    }

    /**
     * What was measured of one subject.
     *
     * @param nanos time per call on the clock, one value for each iteration of each round
     * @param cpuNanos processor time per call
     * @param bytes heap allocated per call
     */
    public record Score(Sample nanos, Sample cpuNanos, Sample bytes) {

        static Score of(List<IterationResult> iterations) {
            return new Score(
                    Sample.of(iterations.stream().map(iteration -> iteration.getPrimaryResult().getScore()).toList()),
                    secondary(iterations, CpuProfiler.RESULT),
                    secondary(iterations, ALLOCATION));
        }

        private static Sample secondary(List<IterationResult> iterations, String name) {
            return Sample.of(iterations.stream().map(iteration -> secondary(iteration, name)).toList());
        }

        private static double secondary(IterationResult iteration, String name) {
            Result<?> result = iteration.getSecondaryResults().get(name);
            if (result == null) {
                throw new IllegalStateException(
                        "no profiler reported " + name + ", only " + iteration.getSecondaryResults().keySet());
            }
            return result.getScore();
        }
    }

    private record Plan(int rounds, int warmups, int iterations, TimeValue each) {}

    private JmhRuns() {}

    /**
     * Measures those subjects that are wanted.
     *
     * @param warmUp how long each JVM runs before it counts: the more code there is, the longer until it is compiled, above all
     *     on a busy machine
     * @param jvmArguments for each JVM
     */
    public static Map<Subject, Score> measure(List<Subject> subjects, Options options, Duration warmUp, String... jvmArguments)
            throws RunnerException {
        Plan plan = options.quick()
                ? new Plan(1, 1, 2, TimeValue.milliseconds(100))
                : new Plan(7, (int) (warmUp.toMillis() / 250), 5, TimeValue.milliseconds(250));
        List<Subject> wanted = subjects.stream().filter(subject -> options.wants(subject.name())).toList();
        Map<Subject, List<IterationResult>> results = new LinkedHashMap<>();
        for (int round = 1; round <= plan.rounds; round++) {
            System.out.println("Round " + round + " of " + plan.rounds + ", " + wanted.size() + " benchmarks");
            List<Subject> order = new ArrayList<>(wanted);
            Collections.shuffle(order, new Random(round));
            for (Subject subject : order) {
                results.computeIfAbsent(subject, key -> new ArrayList<>()).addAll(iterations(subject, plan, jvmArguments));
            }
        }
        Map<Subject, Score> scores = new LinkedHashMap<>();
        results.forEach((subject, iterations) -> scores.put(subject, Score.of(iterations)));
        return scores;
    }

    private static List<IterationResult> iterations(Subject subject, Plan plan, String... jvmArguments) throws RunnerException {
        RunResult result = new Runner(new OptionsBuilder()
                        .include("^" + Pattern.quote(subject.type.getName() + "." + subject.method) + "$")
                        .mode(Mode.AverageTime)
                        .timeUnit(TimeUnit.NANOSECONDS)
                        .threads(subject.threads)
                        .forks(1)
                        .jvmArgsAppend(jvmArguments)
                        .warmupIterations(plan.warmups)
                        .warmupTime(plan.each)
                        .measurementIterations(plan.iterations)
                        .measurementTime(plan.each)
                        .addProfiler(GCProfiler.class)
                        .addProfiler(CpuProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        return result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .toList();
    }
}
