package dev.stoplight.store;

import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerState;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of one breaker at one moment.
 *
 * @param state the state as a viewer sees it: an open light whose cool-off is over reads {@code HALF_OPEN}
 * @param epoch grows with each change of state; an outcome that began under an older epoch is ignored
 * @param sinceMillis when this state began, in milliseconds on the store's clock; 0 when nothing ever happened
 * @param remainingMillis {@code OPEN}: what is left of the cool-off; {@code HALF_OPEN}: until the next probe's lease
 *     expires, 0 when a probe is free
 * @param trips how often the light opened since it was last closed
 * @param lock how it is locked, or null
 * @param failures failures in the window
 * @param probes probes in flight
 * @param probeSuccesses successful probes so far in this recovery
 * @param nearMinimum whether more calls, even successful ones, could trip the rate rule
 * @param stamp orders lights of the same epoch; later is greater
 */
public record Light(
        BreakerState state,
        long epoch,
        long sinceMillis,
        long remainingMillis,
        int trips,
        @Nullable BreakerLock lock,
        int failures,
        int probes,
        int probeSuccesses,
        boolean nearMinimum,
        long stamp) {

    /** A breaker of which nothing is known: closed, and nothing counted. */
    public static final Light GREEN = new Light(BreakerState.CLOSED, 0, 0, 0, 0, null, 0, 0, 0, false, 0);

    /**
     * Whether this was said after {@code other}, or at the same time. A greater epoch is later; a smaller one is too when its
     * stamp is greater, for then the store has lost its memory.
     */
    public boolean isLaterThan(Light other) {
        return epoch > other.epoch || stamp > other.stamp || (epoch == other.epoch && stamp == other.stamp);
    }

    /** Whether Redis, having lost this light, must be told of it again. */
    public boolean worthRestoring() {
        return lock != null || (state == BreakerState.OPEN && remainingMillis > 0);
    }
}
