package dev.stoplight.benchmarks.harness;

import java.util.List;

/** A picture of some of the figures. */
public sealed interface Chart {

    String title();

    /** Bars from the left, with a whisker from the lower to the upper quartile. */
    record Bars(String title, String unit, List<Bar> bars) implements Chart {
        public Bars {
            bars = List.copyOf(bars);
        }
    }

    record Bar(String label, double value, double low, double high) {
        public static Bar of(String label, Sample sample) {
            return new Bar(label, sample.median(), sample.percentile(25), sample.percentile(75));
        }
    }

    /** Lines over two logarithmic axes. */
    record Lines(String title, String across, String up, List<Line> lines) implements Chart {
        public Lines {
            lines = List.copyOf(lines);
        }
    }

    record Line(String label, List<Point> points) {
        public Line {
            points = List.copyOf(points);
        }
    }

    /** Both are greater than zero. */
    record Point(double x, double y) {}
}
