package dev.stoplight.benchmarks.harness;

/**
 * A bound that the project promises, and what was measured.
 *
 * @param limit the bound, in {@code unit}
 * @param unit empty for a ratio
 */
public record Promise(String what, double measured, Bound bound, double limit, String unit) {

    /** On which side of the limit the figure must be. */
    public enum Bound {
        AT_MOST("≤") {
            @Override
            boolean holds(double measured, double limit) {
                return measured <= limit;
            }
        },
        BELOW("<") {
            @Override
            boolean holds(double measured, double limit) {
                return measured < limit;
            }
        },
        AT_LEAST("≥") {
            @Override
            boolean holds(double measured, double limit) {
                return measured >= limit;
            }
        };

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }

        abstract boolean holds(double measured, double limit);
    }

    public static Promise atMost(String what, double measured, double limit, String unit) {
        return new Promise(what, measured, Bound.AT_MOST, limit, unit);
    }

    public static Promise below(String what, double measured, double limit, String unit) {
        return new Promise(what, measured, Bound.BELOW, limit, unit);
    }

    public static Promise atLeast(String what, double measured, double limit, String unit) {
        return new Promise(what, measured, Bound.AT_LEAST, limit, unit);
    }

    public boolean kept() {
        return bound.holds(measured, limit);
    }

    /** One line for people. */
    public String line() {
        String suffix = unit.isEmpty() ? "" : " " + unit;
        return (kept() ? "PASS  " : "FAIL  ")
                + what + ": " + Figures.format(measured) + suffix + ", promised " + bound.sign + " " + Figures.format(limit) + suffix;
    }
}
