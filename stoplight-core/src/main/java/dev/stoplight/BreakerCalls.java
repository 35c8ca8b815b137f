package dev.stoplight;

/**
 * How the calls on this instance ended; each call counts once.
 *
 * @param succeeded returned
 * @param failed threw what counts as a failure
 * @param ignored threw what counts as neither
 * @param slow returned, but so late that it counts as a failure
 * @param rejected were not run
 */
public record BreakerCalls(long succeeded, long failed, long ignored, long slow, long rejected) {

    BreakerCalls plus(BreakerCalls other) {
        return new BreakerCalls(
                succeeded + other.succeeded,
                failed + other.failed,
                ignored + other.ignored,
                slow + other.slow,
                rejected + other.rejected);
    }
}
