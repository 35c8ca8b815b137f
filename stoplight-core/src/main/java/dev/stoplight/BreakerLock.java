package dev.stoplight;

/** A light held by hand, whatever the calls do. */
public enum BreakerLock {

    /** Every call is rejected. */
    OPEN,

    /** Every call runs and none is counted. */
    CLOSED
}
