package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Sample;
import dev.stoplight.benchmarks.harness.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;

/** Many record failures on one breaker at once: our script against WATCH, MULTI and EXEC. */
final class Contention {

    static final int RECORDERS = 32;

    private static final int THRESHOLD = 10_000_000;
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final double TIMES_FASTER = 5;

    /** A way to record. */
    enum Way {
        SCRIPT("Stoplight"),
        WATCH("WATCH/MULTI"),
        WATCH_PAUSING("WATCH/MULTI, backing off");

        private final String label;

        Way(String label) {
            this.label = label;
        }
    }

    /** What came out of one way with so many recorders. */
    private static final class Cell {
        private final List<Double> perSecond = new ArrayList<>();
        private long recorded;
        private long discarded;
        private long missing;

        double throughput() {
            return Sample.of(perSecond).median();
        }
    }

    /** One thread's part. */
    interface Recorder extends AutoCloseable {

        void record();

        /** How many attempts were in vain. */
        default long discarded() {
            return 0;
        }

        @Override
        default void close() {}
    }

    private final RedisLab lab;
    private final Node node;
    private final Map<Integer, Map<Way, Cell>> cells = new TreeMap<>();
    private int runs;

    private Contention(RedisLab lab, Node node) {
        this.lab = lab;
        this.node = node;
    }

    static void measure(RedisLab lab, Options options, Findings findings) throws Exception {
        BreakerSettings settings = BreakerSettings.builder().mode(BreakerMode.COUNT).threshold(THRESHOLD).window(WINDOW).build();
        try (Node node = new Node(lab.uri(), settings)) {
            Contention contention = new Contention(lab, node);
            List<Integer> recorders = options.quick() ? List.of(2, RECORDERS) : List.of(1, 2, 4, 8, 16, RECORDERS, 64);
            Duration each = Duration.ofMillis(options.quick() ? 200 : 1500);
            for (Way way : Way.values()) {
                contention.run(way, 2, each);
            }
            contention.cells.clear();
            for (int round = 0; round < (options.quick() ? 1 : 5); round++) {
                for (int count : recorders) {
                    for (Way way : Way.values()) {
                        contention.run(way, count, each);
                    }
                }
            }
            EmptyScript.measure(lab, options, findings, contention.report(findings));
        }
    }

    private void run(Way way, int recorders, Duration duration) throws Exception {
        String id = "contention-" + ++runs;
        Breaker breaker = node.registry.breaker(id);
        ExecutorService threads = Executors.newFixedThreadPool(recorders);
        List<Recorder> all = new ArrayList<>();
        try {
            Phaser start = new Phaser(recorders);
            List<Future<Long>> counts = new ArrayList<>();
            for (int i = 0; i < recorders; i++) {
                Recorder recorder = recorder(way, id, breaker);
                all.add(recorder);
                counts.add(threads.submit(() -> {
                    start.arriveAndAwaitAdvance();
                    long until = System.nanoTime() + duration.toNanos();
                    long count = 0;
                    while (System.nanoTime() - until < 0) {
                        recorder.record();
                        count++;
                    }
                    return count;
                }));
            }
            long began = System.nanoTime();
            long recorded = 0;
            for (Future<Long> count : counts) {
                recorded += count.get(1, TimeUnit.MINUTES);
            }
            long took = System.nanoTime() - began;
            Cell cell = cells.computeIfAbsent(recorders, key -> new EnumMap<>(Way.class)).computeIfAbsent(way, key -> new Cell());
            cell.perSecond.add(recorded * 1e9 / took);
            cell.recorded += recorded;
            cell.discarded += all.stream().mapToLong(Recorder::discarded).sum();
            cell.missing += Math.abs(recorded - lab.redis().zcard("stoplight:{" + id + "}:failures"));
        } finally {
            threads.shutdownNow();
            all.forEach(Recorder::close);
            breaker.forget();
        }
    }

    private Recorder recorder(Way way, String id, Breaker breaker) {
        return switch (way) {
            case SCRIPT -> () -> Node.fail(breaker);
            case WATCH -> new WatchedRecorder(lab, id, THRESHOLD, WINDOW, false);
            case WATCH_PAUSING -> new WatchedRecorder(lab, id, THRESHOLD, WINDOW, true);
        };
    }

    /** Returns how many failures {@link #RECORDERS} recorders recorded in a second. */
    private double report(Findings findings) {
        List<Table.Row> rows = new ArrayList<>();
        Map<Way, List<Chart.Point>> points = new EnumMap<>(Way.class);
        cells.forEach((recorders, ways) -> {
            double best = Math.max(cell(recorders, Way.WATCH).throughput(), cell(recorders, Way.WATCH_PAUSING).throughput());
            ways.forEach((way, cell) -> {
                rows.add(new Table.Row(
                        recorders + (recorders == 1 ? " recorder, " : " recorders, ") + way.label,
                        cell.throughput(),
                        cell(recorders, Way.SCRIPT).throughput() / cell.throughput(),
                        (double) cell.discarded / cell.recorded,
                        (double) cell.missing));
                points.computeIfAbsent(way, key -> new ArrayList<>()).add(new Chart.Point(recorders, cell.throughput()));
            });
            if (recorders == RECORDERS) {
                Cell ours = cell(recorders, Way.SCRIPT);
                findings.add(Promise.atLeast(
                        "Recording by " + recorders + " at once, times WATCH/MULTI",
                        ours.throughput() / cell(recorders, Way.WATCH).throughput(),
                        TIMES_FASTER,
                        ""));
                findings.note("At " + recorders + " recorders the better WATCH/MULTI makes " + Math.round(best) + " records a second.");
            }
        });
        long missing = cells.values().stream().mapToLong(ways -> Objects.requireNonNull(ways.get(Way.SCRIPT)).missing).sum();
        findings.add(Promise.atMost("Failures lost or counted twice under contention", missing, 0, ""));
        findings.add(new Table(
                "Recording failures on one breaker", List.of("records/s", "ours is x times", "retries per record", "lost or double"), rows));
        List<Chart.Line> lines = new ArrayList<>();
        points.forEach((way, line) -> lines.add(new Chart.Line(way.label, line)));
        findings.add(new Chart.Lines("Recording failures on one breaker", "recorders at once", "records per second", lines));
        return cell(RECORDERS, Way.SCRIPT).throughput();
    }

    private Cell cell(int recorders, Way way) {
        return Objects.requireNonNull(Objects.requireNonNull(cells.get(recorders)).get(way));
    }
}
