package dev.stoplight.sample;

import java.util.Set;
import java.util.TreeSet;

/**
 * How the payment provider behaves.
 *
 * @param errorRate how many of 100 requests fail
 * @param latencyMillis how long a request takes, more or less
 * @param broken merchants whose payouts always fail
 */
record Knobs(int errorRate, int latencyMillis, Set<String> broken) {

    static final Knobs HEALTHY = new Knobs(0, 40, Set.of());

    Knobs {
        require("error-rate", errorRate, 100);
        require("latency", latencyMillis, 2000);
        broken = new TreeSet<>(broken);
    }

    private static void require(String name, int value, int most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(name + " must be between 0 and " + most + ", was " + value);
        }
    }
}
