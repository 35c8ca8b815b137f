package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.redis.RedisBreakerStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.event.command.CommandListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One instance of a service: a registry with a connection of its own to Redis. */
final class Node implements AutoCloseable {

    /** Long enough that a busy machine does not look like an outage, which would be quite another measurement. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int ATTEMPTS = 5;

    private static final RuntimeException FAILURE = new IllegalStateException("the dependency is down");

    private final RedisClient client;
    final BreakerRegistry registry;

    Node(String uri, BreakerSettings defaults) {
        this(uri, defaults, new CommandListener() {});
    }

    /** A node that tells which commands it sends. It has no heartbeat, so that only calls send any. */
    Node(String uri, BreakerSettings defaults, CommandListener listener) {
        client = RedisClient.create(uri);
        client.addListener(listener);
        registry = connect(defaults);
    }

    /** On a busy machine a store may give up connecting; without a heartbeat it would not try again. */
    private BreakerRegistry connect(BreakerSettings defaults) {
        for (int attempt = 0; ; attempt++) {
            BreakerRegistry candidate = BreakerRegistry.builder()
                    .store(RedisBreakerStore.builder(client).timeout(TIMEOUT).heartbeat(Duration.ofHours(1)).connect())
                    .defaults(defaults)
                    .build();
            if (candidate.storeStatus().up()) {
                return candidate;
            }
            candidate.close();
            if (attempt == ATTEMPTS) {
                throw new IllegalStateException("Redis is not there: " + candidate.storeStatus());
            }
        }
    }

    /** One call that fails; returns when Redis has recorded it. */
    static void fail(Breaker breaker) {
        breaker.acquire().fail(FAILURE);
    }

    /** As {@link #fail}, without waiting. */
    static CompletableFuture<Void> failAsync(Breaker breaker) {
        return breaker.acquireAsync().thenCompose(permit -> permit.failAsync(FAILURE)).toCompletableFuture();
    }

    @Override
    public void close() {
        registry.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
