package dev.stoplight.store;

import org.jspecify.annotations.Nullable;

/**
 * A failed call, as it is sent to a store.
 *
 * @param callId unique in the fleet, so that a command sent twice counts once
 * @param error class name of the exception, or {@code SlowCall}
 * @param message the exception's message, already cut, or null
 * @param durationMicros how long the call took, 0 when it was not measured
 */
public record Failure(String callId, String error, @Nullable String message, long durationMicros) {}
