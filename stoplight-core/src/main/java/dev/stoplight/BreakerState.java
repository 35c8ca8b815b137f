package dev.stoplight;

/** The light: green, red or yellow. */
public enum BreakerState {

    /** Green: calls run. */
    CLOSED,

    /** Red: calls are rejected until the cool-off is over. */
    OPEN,

    /** Yellow: a bounded number of probes find out whether the dependency has recovered. */
    HALF_OPEN
}
