package dev.stoplight;

import java.time.Duration;

/**
 * A call was rejected without being run.
 *
 * <p>It carries no stack trace: the caller knows where it called, and a red light must cost next to nothing.
 */
public final class CircuitOpenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final BreakerState state;
    private final long retryAfterNanos;

    CircuitOpenException(String name, BreakerState state, long retryAfterNanos) {
        super(null, null, true, false);
        this.name = name;
        this.state = state;
        this.retryAfterNanos = Math.max(0, retryAfterNanos);
    }

    /** An exception as a breaker throws it, for tests of code that handles it. */
    public CircuitOpenException(String name, BreakerState state, Duration retryAfter) {
        this(name, state, retryAfter.toNanos());
    }

    /** The breaker that rejected the call; for a keyed breaker, {@code name:key}. */
    public String name() {
        return name;
    }

    /** {@link BreakerState#OPEN}, or {@link BreakerState#HALF_OPEN} when every probe is taken. */
    public BreakerState state() {
        return state;
    }

    /** How long to wait before calling again; never negative. For a breaker that is locked open this is its cool-off. */
    public Duration retryAfter() {
        return Duration.ofNanos(retryAfterNanos);
    }

    @Override
    public String getMessage() {
        long seconds = (retryAfterNanos + 999_999_999L) / 1_000_000_000L;
        return "Breaker '" + name + "' is " + state + "; retry in " + seconds + "s";
    }
}
