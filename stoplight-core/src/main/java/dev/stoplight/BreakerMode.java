package dev.stoplight;

/** How failures are counted against the threshold. */
public enum BreakerMode {

    /** {@code threshold} failures within the window with no success between them. */
    CONSECUTIVE,

    /** {@code threshold} failures within the window, whatever succeeds. */
    COUNT,

    /** Failures divided by calls reach {@code failure-rate}, over at least {@code minimum-calls} calls in the window. */
    RATE
}
