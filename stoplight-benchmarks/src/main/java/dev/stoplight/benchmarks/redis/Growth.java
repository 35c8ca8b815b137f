package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.benchmarks.harness.Chart;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Table;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a record costs as the window fills and as breakers become many. */
final class Growth {

    private static final int RECORDS_PER_ROUND = 20;
    private static final double FLAT = 1.25;
    private static final String WINDOW = "window";

    private static final BreakerSettings COUNTING = BreakerSettings.builder()
            .mode(BreakerMode.COUNT)
            .threshold(10_000_000)
            .window(Duration.ofHours(1))
            .build();

    private final Options options;
    private final Findings findings;

    private Growth(Options options, Findings findings) {
        this.options = options;
        this.findings = findings;
    }

    static void measure(Options options, Findings findings) {
        Growth growth = new Growth(options, findings);
        growth.measure(
                "failures in the window",
                options.quick() ? List.of(10, 100) : List.of(10, 100, 1_000, 10_000),
                station -> {},
                Growth::fillWindow,
                station -> station.node.registry.breaker(WINDOW));
        Random random = new Random(1);
        growth.measure(
                "breakers with failures",
                options.quick() ? List.of(1, 1_000) : List.of(1, 100, 10_000, 100_000),
                station -> Fleet.failEach(station.node, 0, station.size, 1),
                station -> {},
                station -> Fleet.breaker(station.node, random.nextInt(station.size)));
    }

    /** A station for each size; in each round each of them records a little, so that noise hits all alike. */
    private void measure(
            String what,
            List<Integer> sizes,
            Consumer<Station> beforeAll,
            Consumer<Station> beforeRound,
            Function<Station, Breaker> next) {
        List<Station> stations = new ArrayList<>();
        try {
            for (int size : sizes) {
                Station station = new Station(size, COUNTING);
                stations.add(station);
                beforeAll.accept(station);
            }
            int warmUp = options.quick() ? 1 : 20;
            int rounds = options.quick() ? 2 : 100;
            for (int round = 0; round < warmUp + rounds; round++) {
                if (round == warmUp) {
                    stations.forEach(Station::forgetTimes);
                }
                List<Station> order = new ArrayList<>(stations);
                Collections.shuffle(order, new Random(round));
                for (Station station : order) {
                    beforeRound.accept(station);
                    station.record(Stream.generate(() -> next.apply(station)).limit(RECORDS_PER_ROUND).toList());
                }
            }
            report(what, stations);
        } finally {
            stations.forEach(Station::close);
        }
    }

    /** Puts exactly so many failures into the window. */
    private static void fillWindow(Station station) {
        String key = "stoplight:{" + WINDOW + "}:failures";
        station.lab.redis().del(key);
        double now = System.currentTimeMillis();
        for (int i = 0; i < station.size; i += 10) {
            List<ScoredValue<String>> ten = new ArrayList<>();
            for (int j = i; j < i + 10; j++) {
                ten.add(ScoredValue.just(now, "{\"id\":\"" + j + "\",\"error\":\"java.lang.IllegalStateException\",\"instance\":\"x\"}"));
            }
            station.lab.redis().zadd(key, toArray(ten));
        }
    }

    @SuppressWarnings("unchecked")
    private static ScoredValue<String>[] toArray(List<ScoredValue<String>> members) {
        return members.toArray(ScoredValue[]::new);
    }

    private void report(String what, List<Station> stations) {
        Station first = stations.get(0);
        List<Table.Row> rows = new ArrayList<>();
        List<Chart.Point> seen = new ArrayList<>();
        List<Chart.Point> inRedis = new ArrayList<>();
        for (Station station : stations) {
            rows.add(new Table.Row(
                    String.format(Locale.ROOT, "%,d", station.size),
                    station.medianSeen(),
                    station.medianSeen() / first.medianSeen(),
                    station.medianInRedis(),
                    station.medianInRedis() / first.medianInRedis()));
            seen.add(new Chart.Point(station.size, station.medianSeen()));
            inRedis.add(new Chart.Point(station.size, station.medianInRedis()));
        }
        Station last = stations.get(stations.size() - 1);
        String range = String.format(Locale.ROOT, "%,d to %,d ", first.size, last.size) + what;
        findings.add(Promise.atMost("A record's time, " + range, last.medianSeen() / first.medianSeen(), FLAT, ""));
        findings.add(Promise.atMost("A record's time inside Redis, " + range, last.medianInRedis() / first.medianInRedis(), FLAT, ""));
        findings.add(new Table("A record by " + what, List.of("µs", "ratio", "µs in Redis", "ratio"), rows));
        findings.add(new Chart.Lines(
                "A record by " + what, what, "µs", List.of(new Chart.Line("as seen here", seen), new Chart.Line("in Redis", inRedis))));
    }
}
