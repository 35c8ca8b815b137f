package dev.stoplight;

import java.util.List;

/**
 * A breaker with its recent past.
 *
 * @param snapshot the breaker now
 * @param recentFailures failures in the window, newest first
 * @param transitions the latest changes, newest first
 */
public record BreakerDetails(BreakerSnapshot snapshot, List<BreakerFailure> recentFailures, List<BreakerTransition> transitions) {}
