package dev.stoplight;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A breaker at one moment.
 *
 * @param name the breaker's name
 * @param key its key, or null
 * @param state the light; {@code HALF_OPEN} as soon as the cool-off is over, even without traffic
 * @param lock how it is locked, or null
 * @param failures failures that count now
 * @param retryAfter how long a caller should wait; zero when calls run
 * @param since when this state began, on the store's clock; null when it never changed
 * @param probes probes in flight in the whole fleet
 * @param settings what holds now, run-time changes included
 */
public record BreakerSnapshot(
        String name,
        @Nullable String key,
        BreakerState state,
        @Nullable BreakerLock lock,
        int failures,
        Duration retryAfter,
        @Nullable Instant since,
        int probes,
        BreakerSettings settings) {}
