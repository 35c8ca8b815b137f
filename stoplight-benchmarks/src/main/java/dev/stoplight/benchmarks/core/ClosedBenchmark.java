package dev.stoplight.benchmarks.core;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One healthy call while the light is green. */
public class ClosedBenchmark {

    /** What is called: it takes next to no time, so that what is around it shows. */
    @State(Scope.Benchmark)
    public static class Work {
        private final Object value = new Object();
        final Supplier<Object> supplier = () -> value;
    }

    /** The least that any breaker can do. */
    @State(Scope.Benchmark)
    public static class Flag {
        volatile boolean open;
    }

    @State(Scope.Benchmark)
    public static class Consecutive {
        final Breaker breaker = breaker(BreakerMode.CONSECUTIVE);
    }

    @State(Scope.Benchmark)
    public static class Count {
        final Breaker breaker = breaker(BreakerMode.COUNT);
    }

    @State(Scope.Benchmark)
    public static class Rate {
        final Breaker breaker = breaker(BreakerMode.RATE);
    }

    @State(Scope.Benchmark)
    public static class ResilienceCount {
        final CircuitBreaker breaker = resilience4j(SlidingWindowType.COUNT_BASED, 100);
    }

    @State(Scope.Benchmark)
    public static class ResilienceTime {
        final CircuitBreaker breaker = resilience4j(SlidingWindowType.TIME_BASED, 60);
    }

    @State(Scope.Benchmark)
    public static class FailsafeCount {
        final FailsafeExecutor<Object> executor =
                Failsafe.with(dev.failsafe.CircuitBreaker.<Object>builder().withFailureThreshold(50, 100).build());
    }

    private static Breaker breaker(BreakerMode mode) {
        return BreakerRegistry.inMemory().breaker("benchmark", BreakerSettings.builder().mode(mode).build());
    }

    private static CircuitBreaker resilience4j(SlidingWindowType type, int size) {
        return CircuitBreaker.of(
                "benchmark", CircuitBreakerConfig.custom().slidingWindowType(type).slidingWindowSize(size).build());
    }

    @Benchmark
    public Object direct(Work work) {
        return work.supplier.get();
    }

    @Benchmark
    public Object volatileCheck(Work work, Flag flag) {
        if (flag.open) {
            throw new IllegalStateException("open");
        }
        return work.supplier.get();
    }

    @Benchmark
    public Object stoplightConsecutive(Work work, Consecutive state) {
        return state.breaker.supply(work.supplier);
    }

    @Benchmark
    public Object stoplightCount(Work work, Count state) {
        return state.breaker.supply(work.supplier);
    }

    @Benchmark
    public Object stoplightRate(Work work, Rate state) {
        return state.breaker.supply(work.supplier);
    }

    @Benchmark
    public Object resilience4jCount(Work work, ResilienceCount state) {
        return state.breaker.executeSupplier(work.supplier);
    }

    @Benchmark
    public Object resilience4jTime(Work work, ResilienceTime state) {
        return state.breaker.executeSupplier(work.supplier);
    }

    @Benchmark
    public Object failsafe(Work work, FailsafeCount state) {
        return state.executor.get(work.supplier::get);
    }
}
