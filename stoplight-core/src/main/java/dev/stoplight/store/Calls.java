package dev.stoplight.store;

/**
 * Calls that were counted locally and not yet sent; failures travel on their own.
 *
 * @param calls how many returned
 * @param latencyMicros how long they took in all
 */
public record Calls(long calls, long latencyMicros) {

    public static final Calls NONE = new Calls(0, 0);

    public Calls {
        if (calls < 0 || latencyMicros < 0) {
            throw new IllegalArgumentException("calls and latency must not be negative, were " + calls + " and " + latencyMicros);
        }
    }
}
