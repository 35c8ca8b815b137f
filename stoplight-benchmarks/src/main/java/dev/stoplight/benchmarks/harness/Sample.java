package dev.stoplight.benchmarks.harness;

import java.util.Arrays;
import java.util.Collection;

/** Measured values of one thing, in ascending order. Medians and quartiles, since a shared machine has outliers. */
public record Sample(double[] sorted) {

    public Sample {
        if (sorted.length == 0) {
            throw new IllegalArgumentException("a sample must hold at least 1 value, held 0");
        }
        sorted = sorted.clone();
        Arrays.sort(sorted);
    }

    public static Sample of(Collection<Double> values) {
        return new Sample(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    public double median() {
        return percentile(50);
    }

    /** The value below which {@code percent} of the values lie, interpolated between its neighbours. */
    public double percentile(double percent) {
        double position = percent / 100 * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
