package dev.stoplight.benchmarks.redis;

import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Table;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What a breaker occupies: in Redis when it is red, on the heap when it is green. */
final class Space {

    private static final int LIMIT = 400;

    private Space() {}

    static void measure(Options options, Findings findings) {
        int red = options.quick() ? 200 : 20_000;
        int green = options.quick() ? 2_000 : 100_000;
        double perRed = redisBytes(red);
        double keys;
        double perGreen;
        try (RedisLab lab = new RedisLab();
                Node node = new Node(lab.uri(), BreakerSettings.builtIn())) {
            // The first one brings what all share.
            Fleet.breaker(node, 0).run(() -> {});
            long before = heap();
            for (int i = 1; i < green; i++) {
                Fleet.breaker(node, i).run(() -> {});
            }
            perGreen = (double) (heap() - before) / (green - 1);
            keys = lab.redis().dbsize();
        }
        findings.add(Promise.atMost("Heap for a green keyed breaker, its key included", perGreen, LIMIT, "B"));
        findings.add(Promise.atMost(String.format(Locale.ROOT, "Keys in Redis for %,d green keyed breakers", green), keys, 0, ""));
        findings.add(new Table(
                "Space for a keyed breaker",
                List.of("breakers", "B each"),
                List.of(new Table.Row("red, in Redis", (double) red, perRed), new Table.Row("green, on the heap", (double) green, perGreen))));
    }

    /** What Redis needs for a breaker that three failures have opened, with its history and its place in the listing. */
    private static double redisBytes(int breakers) {
        try (RedisLab lab = new RedisLab();
                Node node = new Node(
                        lab.uri(), BreakerSettings.builder().threshold(3).coolOff(Duration.ofHours(1)).build())) {
            Fleet.failEach(node, 0, 1, 3);
            long before = lab.usedMemory();
            Fleet.failEach(node, 1, breakers + 1, 3);
            if (Fleet.breaker(node, breakers).state() != BreakerState.OPEN) {
                throw new IllegalStateException("three failures did not open " + Fleet.breaker(node, breakers));
            }
            return (double) (lab.usedMemory() - before) / breakers;
        }
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            ManagementFactory.getMemoryMXBean().gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
