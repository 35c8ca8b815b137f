package dev.stoplight.benchmarks.harness;

import java.util.Locale;

/** Writes numbers so that three digits say something. */
public final class Figures {

    private Figures() {}

    public static String format(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "-";
        }
        if (size < 0.0005) {
            return "0";
        }
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }
}
