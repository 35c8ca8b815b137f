package dev.stoplight.store;

import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * Random lives of one breaker: its settings, and what is asked of its store over time.
 *
 * <p>Steps speak of "the lease before last" or "an older epoch"; a {@link Player} turns them into requests from what the store
 * under test has answered so far. Two stores that answer alike are therefore asked alike.
 *
 * <p>The window is never changed at run time: what has left a shorter window may or may not come back into a longer one.
 */
public final class CommandSequences {

    public static final String ID = "payments";

    private CommandSequences() {}

    /** A breaker's configured settings and what happens to it. */
    public record Scenario(BreakerSettings settings, List<Step> steps) {}

    /** Time passes, then an instance asks for something. */
    public record Step(Pause pause, int amount, String instance, Move move) {}

    /** How time passes before a step; what {@code amount} adds is in the unit's name, or milliseconds around the moment. */
    public enum Pause {
        NONE,
        MICROS,
        MILLIS,
        /** Until what the last reply said remains is over. */
        REMAINING,
        WINDOW
    }

    /** What is asked, in terms of what was answered. Epochs and leases are counted from the latest, which is 0. */
    public sealed interface Move {

        /** With {@code again} the latest failure is sent once more, as by a client that got no answer. */
        record Fail(int epoch, boolean again, String error, String message, long micros, Calls counted) implements Move {}

        record Count(int epoch, Calls counted) implements Move {}

        record Clear(int epoch) implements Move {}

        record Acquire(boolean again) implements Move {}

        record Settle(int lease, boolean wrongEpoch, StoreCommand.Verdict verdict, boolean unexplained) implements Move {}

        /** Whatever needs no more than itself. */
        record Plain(StoreCommand command) implements Move {}

        record Restore(int epochsAhead, BreakerState state, BreakerLock lock, long remainingMillis, int trips, Map<String, String> overrides)
                implements Move {}
    }

    public static Arbitrary<Scenario> scenarios() {
        return Combinators.combine(settings(), steps()).as(Scenario::new);
    }

    private static Arbitrary<BreakerSettings> settings() {
        return subset(configured(), 0.8).map(BreakerSettings.Builder::build);
    }

    /** For each setting the values worth trying: small, so that things happen, and of one magnitude, so that they meet. */
    private static Map<BreakerSetting, List<Object>> changeable() {
        return Map.ofEntries(
                Map.entry(BreakerSetting.MODE, List.of((Object[]) BreakerMode.values())),
                Map.entry(BreakerSetting.THRESHOLD, List.of(1, 2, 2, 3, 4, 55)),
                Map.entry(BreakerSetting.COOL_OFF, List.of(millis(1), millis(5), millis(30), millis(200))),
                Map.entry(BreakerSetting.COOL_OFF_MULTIPLIER, List.of(1.0, 1.5, 2.0, 3.0)),
                Map.entry(BreakerSetting.MAX_COOL_OFF, List.of(millis(3), millis(50), millis(1000))),
                Map.entry(BreakerSetting.FAILURE_RATE, List.of(0.1, 0.3, 0.5, 0.75, 1.0)),
                Map.entry(BreakerSetting.MINIMUM_CALLS, List.of(1, 2, 3, 5, 8)),
                Map.entry(BreakerSetting.MAX_AVERAGE_LATENCY, List.of(Duration.ZERO, millis(2), millis(10))),
                Map.entry(BreakerSetting.MINIMUM_INSTANCES, List.of(1, 1, 2, 3)),
                Map.entry(BreakerSetting.HALF_OPEN_CALLS, List.of(1, 2, 3)),
                Map.entry(BreakerSetting.PROBE_TIMEOUT, List.of(millis(1), millis(10), millis(300))),
                Map.entry(BreakerSetting.RECOVERY_THRESHOLD, List.of(1, 2, 3)));
    }

    private static Map<BreakerSetting, List<Object>> configured() {
        Map<BreakerSetting, List<Object>> values = new EnumMap<>(changeable());
        values.put(BreakerSetting.WINDOW, List.of(millis(7), millis(61), millis(100), millis(1000)));
        return values;
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }

    private static Arbitrary<BreakerSettings.Builder> subset(Map<BreakerSetting, List<Object>> values, double likelihood) {
        List<Arbitrary<Tuple.Tuple2<BreakerSetting, Object>>> choices = new ArrayList<>();
        for (BreakerSetting setting : BreakerSetting.values()) {
            if (values.containsKey(setting)) {
                choices.add(Arbitraries.of(values.get(setting)).map(value -> Tuple.of(setting, value)).injectNull(1 - likelihood));
            }
        }
        return Combinators.combine(choices).as(chosen -> {
            BreakerSettings.Builder builder = BreakerSettings.builder();
            chosen.forEach(choice -> {
                if (choice != null) {
                    builder.set(choice.get1(), choice.get2());
                }
            });
            return builder;
        });
    }

    private static Arbitrary<Map<String, String>> changes(double likelihood) {
        return subset(changeable(), likelihood).map(builder -> builder.build().toText());
    }

    private static Arbitrary<List<Step>> steps() {
        Arbitrary<List<Step>> one = step(move()).map(List::of);
        // More failures than are kept, with nothing between them.
        Arbitrary<List<Step>> burst = step(fail()).flatMap(step -> Arbitraries.integers().between(10, 70).map(times ->
                Collections.nCopies(times, new Step(Pause.NONE, 0, step.instance, step.move))));
        return Arbitraries.frequencyOf(Tuple.of(60, one), Tuple.of(1, burst))
                .list()
                .ofMinSize(1)
                .ofMaxSize(120)
                .map(parts -> parts.stream().flatMap(List::stream).toList());
    }

    private static Arbitrary<Step> step(Arbitrary<Move> move) {
        Arbitrary<Tuple.Tuple2<Pause, Integer>> pause = Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.just(Tuple.of(Pause.NONE, 0))),
                Tuple.of(3, Arbitraries.integers().between(1, 1500).map(micros -> Tuple.of(Pause.MICROS, micros))),
                Tuple.of(4, Arbitraries.integers().between(1, 30).map(millis -> Tuple.of(Pause.MILLIS, millis))),
                Tuple.of(4, Arbitraries.integers().between(-1, 1).map(millis -> Tuple.of(Pause.REMAINING, millis))),
                Tuple.of(1, Arbitraries.integers().between(-2, 1).map(millis -> Tuple.of(Pause.WINDOW, millis))));
        Arbitrary<String> instance = Arbitraries.frequency(Tuple.of(4, "a"), Tuple.of(2, "b"), Tuple.of(1, "c"));
        return Combinators.combine(pause, instance, move)
                .as((time, from, what) -> new Step(time.get1(), time.get2(), from, what));
    }

    private static Arbitrary<Move> move() {
        return Arbitraries.frequencyOf(
                Tuple.of(30, fail()),
                Tuple.of(12, Combinators.combine(epoch(), calls()).as(Move.Count::new)),
                Tuple.of(4, epoch().map(Move.Clear::new)),
                Tuple.of(20, rarely(8).map(Move.Acquire::new)),
                Tuple.of(20, settle()),
                Tuple.of(4, Arbitraries.of(true, false).map(details -> new Move.Plain(new StoreCommand.Read(details)))),
                Tuple.of(1, Arbitraries.of(BreakerLock.values()).map(lock -> new Move.Plain(new StoreCommand.Lock(lock)))),
                Tuple.of(2, Arbitraries.just(new Move.Plain(new StoreCommand.Lock(null)))),
                Tuple.of(1, Arbitraries.just(new Move.Plain(new StoreCommand.Reset()))),
                Tuple.of(1, Arbitraries.just(new Move.Plain(new StoreCommand.Forget()))),
                Tuple.of(2, Combinators.combine(changes(0.15), rarely(3))
                        .as((changes, replace) -> new Move.Plain(new StoreCommand.Configure(changes, replace)))),
                Tuple.of(2, restore()));
    }

    private static Arbitrary<Move> fail() {
        Arbitrary<String> error = Arbitraries.of("java.io.IOException", "SlowCall");
        Arbitrary<String> message = Arbitraries.of("boom", "\"quoted\" \\ {json} 漢字 \uD83D\uDEA6", "").injectNull(0.2);
        Arbitrary<Long> micros = Arbitraries.of(0L, 999L, 1_000L, 12_345L);
        return Combinators.combine(epoch(), rarely(8), error, message, micros, calls()).as(Move.Fail::new);
    }

    private static Arbitrary<Move> settle() {
        Arbitrary<Integer> lease = Arbitraries.frequency(Tuple.of(8, 0), Tuple.of(3, 1), Tuple.of(1, 2));
        Arbitrary<StoreCommand.Verdict> verdict = Arbitraries.frequency(
                Tuple.of(3, StoreCommand.Verdict.SUCCESS),
                Tuple.of(3, StoreCommand.Verdict.FAILURE),
                Tuple.of(1, StoreCommand.Verdict.RELEASED));
        return Combinators.combine(lease, rarely(10), verdict, rarely(4)).as(Move.Settle::new);
    }

    private static Arbitrary<Move> restore() {
        Arbitrary<Move.Restore> light = Combinators.combine(
                        Arbitraries.integers().between(-1, 2),
                        Arbitraries.of(BreakerState.values()),
                        Arbitraries.of(BreakerLock.values()).injectNull(0.7),
                        Arbitraries.of(0L, 1L, 40L),
                        Arbitraries.integers().between(1, 3),
                        changes(0.1))
                .as(Move.Restore::new);
        return light.map(move -> {
            // A locked light is in the state of its lock.
            BreakerState state = move.lock == null ? move.state : move.lock == BreakerLock.OPEN ? BreakerState.OPEN : BreakerState.CLOSED;
            int trips = move.lock == null && state != BreakerState.CLOSED ? move.trips : 0;
            return new Move.Restore(move.epochsAhead, state, move.lock, move.remainingMillis, trips, move.overrides);
        });
    }

    /** Mostly the latest epoch, as for a call that began after the last change. */
    private static Arbitrary<Integer> epoch() {
        return Arbitraries.frequency(Tuple.of(16, 0), Tuple.of(2, 1), Tuple.of(1, 2), Tuple.of(1, -1));
    }

    private static Arbitrary<Boolean> rarely(int oneIn) {
        return Arbitraries.frequency(Tuple.of(oneIn - 1, false), Tuple.of(1, true));
    }

    private static Arbitrary<Calls> calls() {
        return Arbitraries.of(Calls.NONE, new Calls(1, 0), new Calls(1, 2_000), new Calls(2, 20_001), new Calls(5, 50_000), new Calls(3, 7));
    }

    /** Plays a scenario against one store: step by step it says what to ask and hears the answer. */
    public static final class Player {

        private final BreakerSettings settings;
        private final TestClock clock;
        private final List<Long> epochs = new ArrayList<>(List.of(0L));
        private final List<String> leases = new ArrayList<>();
        private final List<Long> leaseEpochs = new ArrayList<>();
        private Light last = Light.GREEN;
        private StoreRequest lastFailure;
        private int failures;
        private int questions;

        public Player(Scenario scenario, TestClock clock) {
            this.settings = scenario.settings;
            this.clock = clock;
        }

        /** Lets time pass and says what to ask next. */
        public StoreRequest request(Step step) {
            clock.advance(pause(step));
            if (step.move instanceof Move.Fail fail && fail.again && lastFailure != null) {
                return lastFailure;
            }
            StoreRequest request = new StoreRequest(ID, step.instance, settings, command(step.move));
            if (step.move instanceof Move.Fail) {
                lastFailure = request;
            }
            return request;
        }

        /** Takes in the answer to the last request. */
        public void heard(StoreRequest request, StoreReply reply) {
            last = reply.light();
            if (epochs.get(epochs.size() - 1) != last.epoch()) {
                epochs.add(last.epoch());
            }
            if (request.command() instanceof StoreCommand.Acquire acquire && reply.accepted()) {
                leases.add(acquire.lease());
                leaseEpochs.add(last.epoch());
            }
        }

        private Duration pause(Step step) {
            Duration pause = switch (step.pause) {
                case NONE -> Duration.ZERO;
                case MICROS -> Duration.ofNanos(step.amount * 1000L);
                case MILLIS -> Duration.ofMillis(step.amount);
                case REMAINING -> Duration.ofMillis(last.remainingMillis() + step.amount);
                case WINDOW -> settings.window().plusMillis(step.amount);
            };
            return pause.isNegative() ? Duration.ZERO : pause;
        }

        private StoreCommand command(Move move) {
            if (move instanceof Move.Fail m) {
                return new StoreCommand.Record(epoch(m.epoch), failure(m.error, m.message, m.micros), m.counted);
            } else if (move instanceof Move.Count m) {
                return new StoreCommand.Count(epoch(m.epoch), m.counted);
            } else if (move instanceof Move.Clear m) {
                return new StoreCommand.Clear(epoch(m.epoch));
            } else if (move instanceof Move.Acquire m) {
                return new StoreCommand.Acquire(m.again && !leases.isEmpty() ? leases.get(leases.size() - 1) : "lease-" + questions++);
            } else if (move instanceof Move.Settle m) {
                int lease = leases.size() - 1 - m.lease;
                long epoch = lease < 0 || m.wrongEpoch ? epoch(1) : leaseEpochs.get(lease);
                Failure failure = m.verdict == StoreCommand.Verdict.FAILURE && !m.unexplained ? failure("java.io.IOException", "probe", 5_000) : null;
                return new StoreCommand.Settle(epoch, lease < 0 ? "no such lease" : leases.get(lease), m.verdict, failure);
            } else if (move instanceof Move.Restore m) {
                long epoch = last.epoch() + m.epochsAhead * 1_000L;
                Light lost = new Light(
                        m.state, Math.max(0, epoch), clock.getAsLong() / 1000, m.remainingMillis, m.trips, m.lock, 0, 0, 0, false, clock.getAsLong());
                return new StoreCommand.Restore(lost, m.overrides);
            } else {
                return ((Move.Plain) move).command;
            }
        }

        private long epoch(int back) {
            return back < 0 ? last.epoch() + 1 : epochs.get(Math.max(0, epochs.size() - 1 - back));
        }

        private Failure failure(String error, String message, long micros) {
            return new Failure("call-%05d".formatted(failures++), error, message, micros);
        }
    }
}
