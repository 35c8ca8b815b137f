package dev.stoplight.benchmarks.harness;

import java.util.List;
import java.util.Locale;

/** Draws charts, one below the other. */
final class Svg {

    private static final int WIDTH = 860;
    private static final int MARGIN = 20;
    private static final int LABELS = 250;
    private static final int BAR = 22;
    private static final int PLOT_HEIGHT = 280;
    private static final String[] COLOURS = {"#1a7f37", "#cf222e", "#0969da", "#bf8700", "#8250df", "#57606a"};

    private final StringBuilder body = new StringBuilder();
    private int top = MARGIN;

    private Svg() {}

    static String draw(List<Chart> charts) {
        Svg svg = new Svg();
        for (Chart chart : charts) {
            svg.text(MARGIN, svg.top + 14, "start", "bold", chart.title());
            svg.top += 30;
            if (chart instanceof Chart.Bars bars) {
                svg.bars(bars);
            } else if (chart instanceof Chart.Lines lines) {
                svg.lines(lines);
            }
            svg.top += 30;
        }
        return format("""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" font-family="sans-serif" font-size="12">
                <rect width="%1$d" height="%2$d" fill="#ffffff"/>
                %3$s</svg>
                """, WIDTH, svg.top, svg.body);
    }

    private void bars(Chart.Bars chart) {
        double most = chart.bars().stream().mapToDouble(bar -> Math.max(bar.value(), bar.high())).max().orElse(1);
        double scale = (WIDTH - LABELS - MARGIN - 110) / Math.max(most, Double.MIN_NORMAL);
        for (Chart.Bar bar : chart.bars()) {
            double middle = top + BAR / 2.0;
            text(LABELS - 8, middle + 4, "end", "normal", bar.label());
            add("<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", LABELS, top + 3.0, Math.max(0, bar.value()) * scale, BAR - 6, COLOURS[0]);
            add("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#24292f\" stroke-width=\"1.5\"/>", LABELS + bar.low() * scale, middle, LABELS + bar.high() * scale);
            double end = LABELS + Math.max(bar.value(), bar.high()) * scale;
            text(end + 8, middle + 4, "start", "normal", Figures.format(bar.value()) + " " + chart.unit());
            top += BAR;
        }
    }

    private void lines(Chart.Lines chart) {
        List<Chart.Point> all = chart.lines().stream().flatMap(line -> line.points().stream()).toList();
        if (all.isEmpty()) {
            return;
        }
        Axis across = Axis.over(all.stream().mapToDouble(Chart.Point::x).toArray(), 70, WIDTH - 220);
        Axis up = Axis.over(all.stream().mapToDouble(Chart.Point::y).toArray(), top + PLOT_HEIGHT, top);
        for (double decade = across.from; decade <= across.to * 1.001; decade *= 10) {
            rule(across.at(decade), up.start, across.at(decade), up.end);
            text(across.at(decade), up.start + 16, "middle", "normal", Figures.format(decade));
        }
        for (double decade = up.from; decade <= up.to * 1.001; decade *= 10) {
            rule(across.start, up.at(decade), across.end, up.at(decade));
            text(across.start - 6, up.at(decade) + 4, "end", "normal", Figures.format(decade));
        }
        text((across.start + across.end) / 2, up.start + 34, "middle", "normal", chart.across());
        text(across.start, up.end - 6, "start", "normal", chart.up());
        for (int i = 0; i < chart.lines().size(); i++) {
            Chart.Line line = chart.lines().get(i);
            String colour = COLOURS[i % COLOURS.length];
            StringBuilder path = new StringBuilder();
            for (Chart.Point point : line.points()) {
                path.append(format("%s%.1f %.1f", path.isEmpty() ? "M" : "L", across.at(point.x()), up.at(point.y())));
                add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", across.at(point.x()), up.at(point.y()), colour);
            }
            add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, colour);
            double legend = up.end + 8 + 20.0 * i;
            add("<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>", across.end + 16, legend, colour);
            text(across.end + 34, legend + 10, "start", "normal", line.label());
        }
        top += PLOT_HEIGHT + 40;
    }

    private void rule(double x1, double y1, double x2, double y2) {
        add("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#d0d7de\"/>", x1, y1, x2, y2);
    }

    private void text(double x, double y, String anchor, String weight, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>", x, y, anchor, weight, escaped);
    }

    private void add(String format, Object... values) {
        body.append(format(format, values)).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A logarithmic axis from one power of ten to another. */
    private record Axis(double from, double to, double start, double end) {

        static Axis over(double[] values, double start, double end) {
            Sample sample = new Sample(values);
            double from = Math.pow(10, Math.floor(Math.log10(sample.percentile(0))));
            double to = Math.pow(10, Math.ceil(Math.log10(sample.percentile(100))));
            return new Axis(from, to > from ? to : from * 10, start, end);
        }

        double at(double value) {
            return start + (end - start) * Math.log(value / from) / Math.log(to / from);
        }
    }
}
