package dev.stoplight.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;

/** Figures under headings. A figure that does not apply is {@code NaN}. */
public record Table(String title, List<String> columns, List<Row> rows) {

    /** What one line of the table is about, and its figures. */
    public record Row(String label, List<Double> figures) {
        public Row(String label, Double... figures) {
            this(label, List.of(figures));
        }
    }

    public Table {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (Row row : rows) {
            if (row.figures().size() != columns.size()) {
                throw new IllegalArgumentException(
                        "row '" + row.label() + "' must have " + columns.size() + " figures, had " + row.figures().size());
            }
        }
    }

    /** The table as text, aligned. */
    public String text() {
        List<List<String>> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(columns);
        lines.add(head);
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.label()));
            row.figures().forEach(figure -> line.add(Figures.format(figure)));
            lines.add(line);
        }
        int[] widths = new int[head.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder(title).append('\n');
        for (List<String> line : lines) {
            StringBuilder cells = new StringBuilder("  ").append(pad(line.get(0), -widths[0]));
            for (int i = 1; i < widths.length; i++) {
                cells.append("  ").append(pad(line.get(i), widths[i]));
            }
            text.append(cells.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static String pad(String cell, int width) {
        return width == 0 ? cell : String.format("%" + width + "s", cell);
    }
}
