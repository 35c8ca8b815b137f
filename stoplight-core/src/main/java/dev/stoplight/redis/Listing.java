package dev.stoplight.redis;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreRequest;
import io.lettuce.core.Range;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The ids that Redis knows, by when they were last used: one sorted set for all breakers, which no script touches. */
final class Listing {

    private static final Duration KEPT = Duration.ofDays(7);
    private static final Duration NOTED_AGAIN = Duration.ofMinutes(10);
    private static final int MOST_NOTED = 100_000;
    private static final Duration PRUNED_AGAIN = Duration.ofHours(1);

    private final String key;
    private final RedisTime time;
    private final Cache<String, Boolean> noted =
            Caffeine.newBuilder().expireAfterWrite(NOTED_AGAIN).maximumSize(MOST_NOTED).executor(Runnable::run).build();
    private volatile long prunedNanos;

    Listing(String key, RedisTime time) {
        this.key = key;
        this.time = time;
    }

    /** Notes that this breaker exists; before the command itself, so that who reads afresh finds both. */
    void note(Link link, StoreRequest request) {
        StoreCommand command = request.command();
        boolean leavesSomething =
                !(command instanceof StoreCommand.Read || command instanceof StoreCommand.Clear || command instanceof StoreCommand.Forget);
        if (leavesSomething && noted.asMap().putIfAbsent(request.id(), true) == null) {
            note(link, List.of(request.id()));
        }
    }

    void note(Link link, List<String> ids) {
        ids.forEach(id -> link.commands().zadd(key, time.micros() / 1000.0, id));
    }

    /** Redis has forgotten this one; not before, for it may refuse to. */
    void remove(Link link, String id) {
        noteAgain(id);
        link.commands().zrem(key, id);
    }

    /** Redis may no longer know this one. */
    void noteAgain(String id) {
        noted.invalidate(id);
    }

    /** Redis may no longer know any. */
    void noteAllAgain() {
        noted.invalidateAll();
    }

    /** Whether Redis knows none of what was noted, so that it must have lost its memory. */
    CompletionStage<Boolean> isLost(Link link) {
        return link.commands().exists(key).thenApply(there -> there == 0 && noted.estimatedSize() > 0);
    }

    CompletionStage<List<String>> all(Link link) {
        return link.commands().zrange(key, 0, -1);
    }

    CompletionStage<List<String>> latest(Link link, int most) {
        return link.commands().zrevrange(key, 0, most - 1L);
    }

    boolean pruneIsDue() {
        return System.nanoTime() - prunedNanos > PRUNED_AGAIN.toNanos();
    }

    CompletionStage<Long> prune(Link link) {
        prunedNanos = System.nanoTime();
        double oldest = (time.micros() / 1000.0) - KEPT.toMillis();
        return link.commands().zremrangebyscore(key, Range.create(0.0, oldest));
    }
}
