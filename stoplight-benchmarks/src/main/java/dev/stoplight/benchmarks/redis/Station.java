package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerSettings;
import dev.stoplight.benchmarks.harness.Sample;
import java.util.ArrayList;
import java.util.List;

/** A server and a node, in which something there is {@code size} times; times of records, here and inside Redis, in µs. */
final class Station implements AutoCloseable {

    final int size;
    final RedisLab lab = new RedisLab();
    final Node node;
    private final List<Double> seen = new ArrayList<>();
    private final List<Double> inRedis = new ArrayList<>();

    Station(int size, BreakerSettings settings) {
        this.size = size;
        this.node = new Node(lab.uri(), settings);
        lab.timeEachCommand();
    }

    /** Lets these breakers fail once, one after the other. */
    void record(List<Breaker> breakers) {
        lab.scriptMicros();
        for (Breaker breaker : breakers) {
            long start = System.nanoTime();
            Node.fail(breaker);
            seen.add((System.nanoTime() - start) / 1e3);
        }
        inRedis.addAll(lab.scriptMicros());
    }

    /** Drops what was timed so far, because it was for warming up. */
    void forgetTimes() {
        seen.clear();
        inRedis.clear();
    }

    double medianSeen() {
        return Sample.of(seen).median();
    }

    double medianInRedis() {
        return Sample.of(inRedis).median();
    }

    @Override
    public void close() {
        node.close();
        lab.close();
    }
}
