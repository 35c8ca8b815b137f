package dev.stoplight.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;

/** What a suite has found out so far, in the order in which it is shown. */
public final class Findings {

    private final List<String> notes = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private final List<Chart> charts = new ArrayList<>();

    /** Adds something that a reader must know to understand the figures. */
    public void note(String note) {
        notes.add(note);
    }

    public void add(Table table) {
        tables.add(table);
    }

    public void add(Promise promise) {
        promises.add(promise);
    }

    public void add(Chart chart) {
        charts.add(chart);
    }

    List<String> notes() {
        return notes;
    }

    List<Table> tables() {
        return tables;
    }

    List<Promise> promises() {
        return promises;
    }

    List<Chart> charts() {
        return charts;
    }
}
