package dev.stoplight;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One failure that counts, or counted, against a breaker.
 *
 * @param at when the store recorded it, on the store's clock
 * @param error class name of the exception, or {@code SlowCall} for a call that returned too late
 * @param message the exception's message, cut; null when it had none or messages are not recorded
 * @param instance the instance that reported it
 * @param durationMillis how long the call took, 0 when it was not measured
 */
public record BreakerFailure(Instant at, String error, @Nullable String message, String instance, long durationMillis) {}
