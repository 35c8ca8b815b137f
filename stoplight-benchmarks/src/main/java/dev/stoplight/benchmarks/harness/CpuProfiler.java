package dev.stoplight.benchmarks.harness;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The processor time of a call: unlike the time on the clock, it does not count what a busy machine gives to others meanwhile,
 * so that it can tell apart what differs by little. It does not count waiting for a lock either.
 */
public final class CpuProfiler implements InternalProfiler {

    static final String RESULT = "cpu.norm";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Map<Long, Long> before = Map.of();

    @Override
    public String getDescription() {
        return "Processor time per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = workers();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long nanos = 0;
        for (Map.Entry<Long, Long> worker : workers().entrySet()) {
            nanos += worker.getValue() - before.getOrDefault(worker.getKey(), 0L);
        }
        double perCall = (double) nanos / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(RESULT, perCall, "ns/op", AggregationPolicy.AVG));
    }

    /** The processor time so far of each thread that runs the benchmark. */
    private static Map<Long, Long> workers() {
        Map<Long, Long> times = new HashMap<>();
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().contains("jmh-worker")) {
                times.put(thread.getThreadId(), THREADS.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return times;
    }
}
