package dev.stoplight;

import java.time.Instant;

/**
 * One entry in a breaker's history. A lock or a reset that leaves the state as it was has the same {@code from} and {@code to}.
 *
 * @param at when it happened, on the store's clock
 * @param from the state before
 * @param to the state after
 * @param reason why, for a person to read
 * @param instance the instance whose call or operator caused it
 */
public record BreakerTransition(Instant at, BreakerState from, BreakerState to, String reason, String instance) {}
