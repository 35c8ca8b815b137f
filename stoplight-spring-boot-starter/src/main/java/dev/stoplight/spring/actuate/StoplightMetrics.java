package dev.stoplight.spring.actuate;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerCalls;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Metrics of breakers, read from counters that exist anyway, so that a call pays nothing for being measured.
 *
 * <p>The tag {@code breaker} is the name: calls of its keys are added up, and its state is that of its worst light.
 */
final class StoplightMetrics implements MeterBinder, BreakerListener {

    static final String CALLS = "stoplight.calls";
    static final String STATE = "stoplight.state";
    static final String TRANSITIONS = "stoplight.transitions";
    static final String STORE_COMMANDS = "stoplight.store.commands";
    static final String STORE_UP = "stoplight.store.up";

    private static final String BREAKER = "breaker";

    /** How long the states of keys are remembered: there may be very many, and each name's gauge wants to know. */
    private static final long KEYS_NANOS = Duration.ofSeconds(1).toNanos();

    private final Supplier<BreakerRegistry> breakers;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    private volatile KeyLevels keyLevels = new KeyLevels(Map.of(), System.nanoTime() - KEYS_NANOS);

    private record KeyLevels(Map<String, Integer> byName, long atNanos) {}

    StoplightMetrics(Supplier<BreakerRegistry> breakers) {
        this.breakers = breakers;
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        registries.add(meters);
        Gauge.builder(STORE_UP, () -> breakers.get().storeStatus().up() ? 1 : 0)
                .description("1 while the store can be reached, 0 while breakers go on locally")
                .register(meters);
        breakers.get().breakers().filter(breaker -> breaker.key() == null).forEach(breaker -> add(meters, breaker));
    }

    @Override
    public void onEvent(BreakerEvent event) {
        if (event instanceof BreakerEvent.Created created) {
            breakers.get().find(created.name()).ifPresent(breaker -> registries.forEach(meters -> add(meters, breaker)));
        } else if (event instanceof BreakerEvent.Forgotten forgotten && forgotten.key() == null) {
            registries.forEach(meters -> remove(meters, forgotten.name()));
        } else if (event instanceof BreakerEvent.Transitioned transitioned && transitioned.own()) {
            // Each instance counts the transitions that it caused, so that their sum over the fleet is the truth.
            BreakerTransition transition = transitioned.transition();
            registries.forEach(meters -> transitions(meters, transitioned.name(), transition.from(), transition.to()).increment());
        }
    }

    @Override
    public void onStoreCommand(String command, boolean answered, long nanos) {
        for (MeterRegistry meters : registries) {
            Timer.builder(STORE_COMMANDS)
                    .description("Commands to the store")
                    .tags("command", command, "outcome", answered ? "answered" : "failed")
                    .register(meters)
                    .record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Does nothing for a breaker that is there: one created during {@link #bindTo} is found by it and announced as well. */
    private synchronized void add(MeterRegistry meters, Breaker breaker) {
        if (meters.find(STATE).tag(BREAKER, breaker.name()).gauge() != null) {
            return;
        }
        calls(meters, breaker, "succeeded", BreakerCalls::succeeded);
        calls(meters, breaker, "failed", BreakerCalls::failed);
        calls(meters, breaker, "ignored", BreakerCalls::ignored);
        calls(meters, breaker, "slow", BreakerCalls::slow);
        calls(meters, breaker, "rejected", BreakerCalls::rejected);
        Gauge.builder(STATE, breaker, this::level)
                .description("0 green, 1 yellow, 2 red")
                .tag(BREAKER, breaker.name())
                .register(meters);
        // From the start, so that the first transition is an increase and not a new series.
        for (BreakerState from : BreakerState.values()) {
            for (BreakerState to : BreakerState.values()) {
                boolean happens = from != to && !(from == BreakerState.CLOSED && to == BreakerState.HALF_OPEN);
                if (happens) {
                    transitions(meters, breaker.name(), from, to);
                }
            }
        }
    }

    private static void calls(MeterRegistry meters, Breaker breaker, String outcome, ToLongFunction<BreakerCalls> count) {
        FunctionCounter.builder(CALLS, breaker, counted -> count.applyAsLong(counted.totalCalls()))
                .description("Calls by how they ended")
                .tags(BREAKER, breaker.name(), "outcome", outcome)
                .register(meters);
    }

    private static Counter transitions(MeterRegistry meters, String name, BreakerState from, BreakerState to) {
        return Counter.builder(TRANSITIONS)
                .description("Changes of state that this instance caused")
                .tags(BREAKER, name, "from", from.name(), "to", to.name())
                .register(meters);
    }

    private static void remove(MeterRegistry meters, String name) {
        for (String meter : List.of(CALLS, STATE, TRANSITIONS)) {
            meters.find(meter).tag(BREAKER, name).meters().forEach(meters::remove);
        }
    }

    private double level(Breaker ofName) {
        return Math.max(level(ofName.state()), keyLevels().getOrDefault(ofName.name(), 0));
    }

    private static int level(BreakerState state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    private Map<String, Integer> keyLevels() {
        KeyLevels known = keyLevels;
        if (System.nanoTime() - known.atNanos >= KEYS_NANOS) {
            Map<String, Integer> byName = new HashMap<>();
            breakers.get().breakers().filter(breaker -> breaker.key() != null).forEach(breaker -> {
                int level = level(breaker.state());
                if (level > 0) {
                    byName.merge(breaker.name(), level, Math::max);
                }
            });
            known = new KeyLevels(byName, System.nanoTime());
            keyLevels = known;
        }
        return known.byName;
    }
}
