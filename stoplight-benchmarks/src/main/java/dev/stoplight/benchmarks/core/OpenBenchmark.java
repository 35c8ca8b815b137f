package dev.stoplight.benchmarks.core;

import dev.failsafe.CircuitBreakerOpenException;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One rejection while the light is red, caught by the caller. */
public class OpenBenchmark {

    private static final Duration COOL_OFF = Duration.ofDays(1);

    @State(Scope.Benchmark)
    public static class Work {
        final Supplier<Object> supplier = () -> {
            throw new IllegalStateException("an open breaker ran the call");
        };
    }

    @State(Scope.Benchmark)
    public static class Stoplight {
        final Breaker breaker = open();

        private static Breaker open() {
            Breaker breaker = BreakerRegistry.inMemory()
                    .breaker("benchmark", BreakerSettings.builder().threshold(1).coolOff(COOL_OFF).build());
            breaker.acquire().fail(new IllegalStateException("trips it"));
            if (breaker.state() != BreakerState.OPEN) {
                throw new IllegalStateException("one failure did not open " + breaker);
            }
            return breaker;
        }
    }

    @State(Scope.Benchmark)
    public static class ResilienceCount {
        final CircuitBreaker breaker = resilience4j(SlidingWindowType.COUNT_BASED, 100, true);
    }

    /** With the stack trace switched off, which is not the default. */
    @State(Scope.Benchmark)
    public static class ResilienceTraceless {
        final CircuitBreaker breaker = resilience4j(SlidingWindowType.COUNT_BASED, 100, false);
    }

    @State(Scope.Benchmark)
    public static class ResilienceTime {
        final CircuitBreaker breaker = resilience4j(SlidingWindowType.TIME_BASED, 60, true);
    }

    @State(Scope.Benchmark)
    public static class FailsafeCount {
        final FailsafeExecutor<Object> executor = open();

        private static FailsafeExecutor<Object> open() {
            dev.failsafe.CircuitBreaker<Object> breaker =
                    dev.failsafe.CircuitBreaker.<Object>builder().withDelay(COOL_OFF).build();
            breaker.open();
            return Failsafe.with(breaker);
        }
    }

    private static CircuitBreaker resilience4j(SlidingWindowType type, int size, boolean stackTrace) {
        CircuitBreaker breaker = CircuitBreaker.of(
                "benchmark",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(type)
                        .slidingWindowSize(size)
                        .waitDurationInOpenState(COOL_OFF)
                        .writableStackTraceEnabled(stackTrace)
                        .build());
        breaker.transitionToOpenState();
        return breaker;
    }

    @Benchmark
    public Object stoplight(Work work, Stoplight state) {
        try {
            return state.breaker.supply(work.supplier);
        } catch (CircuitOpenException rejected) {
            return rejected;
        }
    }

    @Benchmark
    public Object resilience4jCount(Work work, ResilienceCount state) {
        try {
            return state.breaker.executeSupplier(work.supplier);
        } catch (CallNotPermittedException rejected) {
            return rejected;
        }
    }

    @Benchmark
    public Object resilience4jTraceless(Work work, ResilienceTraceless state) {
        try {
            return state.breaker.executeSupplier(work.supplier);
        } catch (CallNotPermittedException rejected) {
            return rejected;
        }
    }

    @Benchmark
    public Object resilience4jTime(Work work, ResilienceTime state) {
        try {
            return state.breaker.executeSupplier(work.supplier);
        } catch (CallNotPermittedException rejected) {
            return rejected;
        }
    }

    @Benchmark
    public Object failsafe(Work work, FailsafeCount state) {
        try {
            return state.executor.get(work.supplier::get);
        } catch (CircuitBreakerOpenException rejected) {
            return rejected;
        }
    }
}
