package dev.stoplight.benchmarks.redis;

import io.lettuce.core.Range;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.ZAddArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Records failures as one would without scripts: watch, read, decide, and write in a transaction, again and again until
 * nobody else wrote in between.
 *
 * <p>It is made to look good: what can be sent together is sent together, so that an attempt is two round trips, and it
 * leaves out the JSON of the reply. WATCH belongs to a connection, so each recorder has one of its own.
 */
final class WatchedRecorder implements Contention.Recorder {

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final StatefulRedisConnection<String, String> connection;
    private final RedisAsyncCommands<String, String> redis;
    private final String state;
    private final String failures;
    private final String settings;
    private final long threshold;
    private final Duration window;
    private final boolean pauses;
    private long discarded;

    /** @param pauses whether to wait for a random, growing time before another attempt */
    WatchedRecorder(RedisLab lab, String id, int threshold, Duration window, boolean pauses) {
        this.connection = lab.connect();
        this.redis = connection.async();
        this.state = "stoplight:{" + id + "}:state";
        this.failures = "stoplight:{" + id + "}:failures";
        this.settings = "stoplight:{" + id + "}:settings";
        this.threshold = threshold;
        this.window = window;
        this.pauses = pauses;
    }

    @Override
    public void record() {
        String member = "{\"id\":\"" + UUID.randomUUID() + "\",\"error\":\"java.lang.IllegalStateException\","
                + "\"message\":\"the dependency is down\",\"instance\":\"benchmark\",\"durationMs\":0}";
        for (int attempt = 0; !attempt(member); attempt++) {
            discarded++;
            if (pauses) {
                long most = Math.min(LONGEST_PAUSE_NANOS, 100_000L << Math.min(attempt, 10));
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most));
            }
        }
    }

    private boolean attempt(String member) {
        redis.watch(state, failures, settings);
        RedisFuture<List<String>> time = redis.time();
        redis.hgetall(settings);
        redis.hmget(state, "state", "epoch", "since", "until", "trips", "lock", "successes");
        long held = await(redis.zcard(failures));
        List<String> clock = await(time);
        long now = Long.parseLong(clock.get(0)) * 1000 + Long.parseLong(clock.get(1)) / 1000;
        if (held + 1 >= threshold) {
            throw new IllegalStateException("the benchmark must not trip the light");
        }
        redis.multi();
        redis.zremrangebyscore(failures, Range.create(Double.NEGATIVE_INFINITY, now - window.toMillis()));
        redis.zadd(failures, ZAddArgs.Builder.nx(), now, member);
        redis.zremrangebyrank(failures, 0, -threshold - 1);
        redis.pexpire(failures, window);
        redis.zcard(failures);
        TransactionResult result = await(redis.exec());
        return !result.wasDiscarded();
    }

    private static <T> T await(RedisFuture<T> future) {
        return future.toCompletableFuture().join();
    }

    @Override
    public long discarded() {
        return discarded;
    }

    @Override
    public void close() {
        connection.close();
    }
}
