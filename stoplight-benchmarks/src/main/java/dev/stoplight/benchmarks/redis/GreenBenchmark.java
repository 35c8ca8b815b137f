package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import java.util.Objects;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One healthy call, with the lights in this process and with the lights in Redis. */
public class GreenBenchmark {

    /** The system property that says where Redis is. */
    static final String REDIS = "stoplight.benchmarks.redis";

    @State(Scope.Benchmark)
    public static class Work {
        private final Object value = new Object();
        final Supplier<Object> supplier = () -> value;
    }

    /** The breakers of one registry; each JVM uses one of them. */
    abstract static class Breakers {
        private final BreakerRegistry registry;
        final Breaker consecutive;
        final Breaker count;
        final Breaker rate;

        Breakers(BreakerRegistry registry) {
            this.registry = registry;
            this.consecutive = breaker(BreakerMode.CONSECUTIVE);
            this.count = breaker(BreakerMode.COUNT);
            this.rate = breaker(BreakerMode.RATE);
        }

        private Breaker breaker(BreakerMode mode) {
            return registry.breaker(mode.name(), BreakerSettings.builder().mode(mode).build());
        }

        @TearDown
        public void close() {
            if (!registry.storeStatus().up()) {
                throw new IllegalStateException("the store was lost, so this was not measured with it: " + registry.storeStatus());
            }
            end();
        }

        void end() {
            registry.close();
        }
    }

    @State(Scope.Benchmark)
    public static class Memory extends Breakers {
        public Memory() {
            super(BreakerRegistry.inMemory());
        }
    }

    @State(Scope.Benchmark)
    public static class Redis extends Breakers {
        private final Node node;

        public Redis() {
            this(new Node(Objects.requireNonNull(System.getProperty(REDIS), REDIS + " is not set"), BreakerSettings.builtIn()));
        }

        private Redis(Node node) {
            super(node.registry);
            this.node = node;
        }

        @Override
        void end() {
            node.close();
        }
    }

    @Benchmark
    public Object memoryConsecutive(Work work, Memory breakers) {
        return breakers.consecutive.supply(work.supplier);
    }

    @Benchmark
    public Object redisConsecutive(Work work, Redis breakers) {
        return breakers.consecutive.supply(work.supplier);
    }

    @Benchmark
    public Object memoryCount(Work work, Memory breakers) {
        return breakers.count.supply(work.supplier);
    }

    @Benchmark
    public Object redisCount(Work work, Redis breakers) {
        return breakers.count.supply(work.supplier);
    }

    @Benchmark
    public Object memoryRate(Work work, Memory breakers) {
        return breakers.rate.supply(work.supplier);
    }

    @Benchmark
    public Object redisRate(Work work, Redis breakers) {
        return breakers.rate.supply(work.supplier);
    }
}
