package dev.stoplight.store;

import dev.stoplight.BreakerFailure;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One breaker's rules: given a command and the time, what happens.
 *
 * <p>Nothing here reads a clock, waits or knows a thread; the store that holds a machine guards it. The Redis scripts do the
 * same step by step, and a test compares the two.
 */
final class LightMachine {

    static final int HISTORY = 50;
    static final long KEEP_DETAILS_MILLIS = Duration.ofDays(7).toMillis();

    /** How long a closed light's epoch is remembered, so that a call from before the trip cannot count after the close. */
    static final long KEEP_CLOSED_MILLIS = Duration.ofHours(1).toMillis();

    /** Failures kept for viewers where the rule itself needs fewer. */
    static final int KEEP_FAILURES = 50;

    /** Whether this instance decides for itself alone, for a while; then nobody else could complain. */
    private final boolean alone;

    private BreakerState state = BreakerState.CLOSED;
    private long epoch;
    private long since;
    private long until;
    private int trips;
    private int probeSuccesses;
    private @Nullable BreakerLock lock;
    private final Map<String, BreakerFailure> failures = new LinkedHashMap<>();
    private final CallBuckets calls = new CallBuckets();
    private final Map<String, Long> probes = new TreeMap<>();
    private final Deque<BreakerTransition> history = new ArrayDeque<>();
    private Map<String, String> overrideText = Map.of();
    private BreakerSettings overrides = BreakerSettings.builtIn();

    /** Whether there are no overrides because an operator cleared them; otherwise they may have been lost. */
    private boolean cleared;

    private long stamp;
    private long touched;
    private long keepFor;
    private boolean publish;

    // The command at hand.
    private long micros;
    private long now;
    private String instance = "";
    private BreakerSettings configured = BreakerSettings.builtIn();
    private BreakerSettings settings = BreakerSettings.builtIn();

    LightMachine(boolean alone) {
        this.alone = alone;
    }

    /** A machine that goes on alone from what is known of a light; counted failures are not among it. */
    static LightMachine goingOn(Light light, Map<String, String> overrides, long nowMicros) {
        LightMachine machine = new LightMachine(true);
        machine.setOverrides(overrides);
        machine.state = light.state() == BreakerState.HALF_OPEN ? BreakerState.OPEN : light.state();
        machine.epoch = light.epoch();
        machine.since = light.sinceMillis();
        machine.until = nowMicros / 1000 + (light.state() == BreakerState.OPEN ? light.remainingMillis() : 0);
        machine.trips = light.trips();
        machine.lock = light.lock();
        machine.stamp = light.stamp();
        machine.touched = nowMicros / 1000;
        machine.keepFor = KEEP_CLOSED_MILLIS;
        return machine;
    }

    /**
     * Carries out one command at {@code nowMicros} on the store's clock. The reply's stamp is {@code stampMicros} or, where that
     * is not greater, the next after the last.
     */
    StoreReply apply(StoreRequest request, long nowMicros, long stampMicros) {
        micros = nowMicros;
        now = nowMicros / 1000;
        stamp = Math.max(stampMicros, stamp + 1);
        instance = request.instance();
        configured = request.settings();
        settings = configured.overriddenBy(overrides);
        publish = false;
        StoreCommand command = request.command();
        if (!(command instanceof StoreCommand.Read)) {
            touched = now;
            keepFor = Math.max(keepFor, settings.window().toMillis());
        }
        expire();
        if (command instanceof StoreCommand.Record c) {
            return record(c);
        } else if (command instanceof StoreCommand.Count c) {
            return count(c);
        } else if (command instanceof StoreCommand.Clear c) {
            return clear(c);
        } else if (command instanceof StoreCommand.Acquire c) {
            return acquire(c);
        } else if (command instanceof StoreCommand.Settle c) {
            return settle(c);
        } else if (command instanceof StoreCommand.Read c) {
            return reply(true, null, overrideText, c.details() ? details() : null, false);
        } else if (command instanceof StoreCommand.Lock c) {
            return lock(c.lock());
        } else if (command instanceof StoreCommand.Reset) {
            return reset();
        } else if (command instanceof StoreCommand.Configure c) {
            return configure(c);
        } else if (command instanceof StoreCommand.Restore c) {
            return restore(c);
        } else if (command instanceof StoreCommand.Forget) {
            return forget();
        }
        throw new IllegalStateException("no rule for " + command);
    }

    /** Whether the last command changed something that other instances must hear of. */
    boolean mustPublish() {
        return publish;
    }

    /** Whether nothing here would be missed any more; where there are very many, history alone is not missed. */
    boolean forgettable(long nowMicros, boolean veryMany) {
        if (lock != null || !overrideText.isEmpty()) {
            return false;
        }
        long idle = nowMicros / 1000 - touched;
        if (state != BreakerState.CLOSED) {
            return idle > KEEP_DETAILS_MILLIS && nowMicros / 1000 > until;
        }
        return idle > (history.isEmpty() || veryMany ? keepFor : Math.max(keepFor, KEEP_DETAILS_MILLIS));
    }

    private StoreReply record(StoreCommand.Record c) {
        if (!counts(c.epoch())) {
            return ignored();
        }
        boolean first = failures.isEmpty();
        boolean fresh = keep(c.failure());
        if (fresh && settings.countsCalls()) {
            calls.add(now, c.counted().calls() + 1, 1, c.counted().latencyMicros() + c.failure().durationMicros(), settings);
            calls.mark(instance, now);
        }
        publish = first && settings.mode() == BreakerMode.CONSECUTIVE;
        return decide(fresh, c.failure());
    }

    private StoreReply count(StoreCommand.Count c) {
        if (!counts(c.epoch()) || !settings.countsCalls()) {
            return ignored();
        }
        Calls counted = c.counted();
        calls.add(now, counted.calls(), 0, counted.latencyMicros(), settings);
        if (tooSlow(counted.latencyMicros(), counted.calls())) {
            calls.mark(instance, now);
        }
        return decide(true, null);
    }

    private StoreReply clear(StoreCommand.Clear c) {
        if (!counts(c.epoch()) || settings.mode() != BreakerMode.CONSECUTIVE || failures.isEmpty()) {
            return ignored();
        }
        failures.clear();
        publish = true;
        return reply(true, null);
    }

    /** Opens the light if a rule says so. */
    private StoreReply decide(boolean accepted, @Nullable Failure last) {
        String reason = brokenRule();
        if (reason == null) {
            return reply(accepted, null);
        }
        return reply(accepted, open(reason + cause(last)));
    }

    private @Nullable String brokenRule() {
        int inWindow = failures.size();
        switch (settings.mode()) {
            case CONSECUTIVE, COUNT -> {
                if (inWindow >= settings.threshold() && failingInstances() >= minimumInstances()) {
                    return inWindow == 1 ? "1 failure" : inWindow + (settings.mode() == BreakerMode.COUNT ? " failures" : " failures in a row");
                }
            }
            case RATE -> {
                CallBuckets.Total total = calls.total(now, settings);
                if (total.calls() >= settings.minimumCalls()
                        && (double) total.failures() / total.calls() >= settings.failureRate()
                        && calls.marked(now, settings) >= minimumInstances()) {
                    return "failure rate " + 100 * total.failures() / total.calls() + "% of " + total.calls() + " calls";
                }
            }
        }
        if (settings.maxAverageLatency().isPresent()) {
            CallBuckets.Total total = calls.total(now, settings);
            if (total.calls() >= settings.minimumCalls()
                    && tooSlow(total.latencyMicros(), total.calls())
                    && calls.marked(now, settings) >= minimumInstances()) {
                return "average latency " + total.latencyMicros() / total.calls() / 1000 + "ms over " + total.calls() + " calls";
            }
        }
        return null;
    }

    private boolean tooSlow(long latencyMicros, long calls) {
        Duration limit = settings.maxAverageLatency().orElse(null);
        return limit != null && latencyMicros > limit.toMillis() * 1000 * calls;
    }

    private int minimumInstances() {
        return alone ? 1 : settings.minimumInstances();
    }

    private long failingInstances() {
        return minimumInstances() == 1
                ? 1
                : failures.values().stream().map(BreakerFailure::instance).distinct().count();
    }

    private StoreReply acquire(StoreCommand.Acquire c) {
        if (lock != null || state == BreakerState.CLOSED || (state == BreakerState.OPEN && now < until)) {
            return ignored();
        }
        BreakerTransition transition = null;
        if (state == BreakerState.OPEN) {
            transition = change(BreakerState.HALF_OPEN, "cool-off over");
        }
        if (!probes.containsKey(c.lease())) {
            if (probes.size() >= settings.halfOpenCalls()) {
                return ignored();
            }
            probes.put(c.lease(), now + settings.probeTimeout().toMillis());
        }
        return reply(true, transition);
    }

    private StoreReply settle(StoreCommand.Settle c) {
        if (lock != null || state != BreakerState.HALF_OPEN || c.epoch() != epoch || probes.remove(c.lease()) == null) {
            return ignored();
        }
        publish = true;
        return switch (c.verdict()) {
            case RELEASED -> reply(true, null);
            case SUCCESS -> {
                probeSuccesses++;
                yield reply(true, probeSuccesses < settings.recoveryThreshold() ? null : close(probeSuccesses == 1 ? "probe succeeded" : probeSuccesses + " probes succeeded"));
            }
            case FAILURE -> {
                Failure failure = c.failure();
                if (failure != null) {
                    keep(failure);
                }
                yield reply(true, open("probe failed" + cause(failure)));
            }
        };
    }

    private StoreReply lock(@Nullable BreakerLock wanted) {
        if (wanted == lock) {
            return ignored();
        }
        lock = wanted;
        trips = 0;
        until = 0;
        forgetCounts();
        return reply(
                true,
                wanted == null
                        ? change(BreakerState.CLOSED, "unlocked")
                        : switch (wanted) {
                            case OPEN -> change(BreakerState.OPEN, "locked open");
                            case CLOSED -> change(BreakerState.CLOSED, "locked closed");
                        });
    }

    private StoreReply reset() {
        if (lock != null) {
            forgetCounts();
            return ignored();
        }
        return reply(true, close("reset"));
    }

    private StoreReply configure(StoreCommand.Configure c) {
        Map<String, String> changed = new TreeMap<>(c.replace() ? Map.of() : overrideText);
        changed.putAll(c.changes());
        setOverrides(changed);
        cleared = changed.isEmpty();
        publish = true;
        return reply(true, null, overrideText, null, false);
    }

    private StoreReply restore(StoreCommand.Restore c) {
        Light lost = c.light();
        boolean accepted = false;
        if (overrideText.isEmpty() && !cleared && !c.overrides().isEmpty()) {
            setOverrides(c.overrides());
            accepted = true;
        }
        if (lost.worthRestoring() && lost.epoch() > epoch) {
            state = lost.state();
            epoch = lost.epoch();
            since = lost.sinceMillis();
            until = now + lost.remainingMillis();
            trips = lost.trips();
            lock = lost.lock();
            forgetCounts();
            accepted = true;
        }
        publish = accepted;
        return reply(accepted, null, overrideText, null, false);
    }

    private StoreReply forget() {
        state = BreakerState.CLOSED;
        epoch = 0;
        since = 0;
        until = 0;
        trips = 0;
        lock = null;
        forgetCounts();
        history.clear();
        setOverrides(Map.of());
        cleared = false;
        keepFor = 0;
        publish = true;
        return reply(true, null, overrideText, null, true);
    }

    /** An outcome counts only while the light is green, by itself, and in the epoch in which the call began. */
    private boolean counts(long callEpoch) {
        return lock == null && state == BreakerState.CLOSED && callEpoch >= epoch;
    }

    private BreakerTransition open(String reason) {
        trips++;
        until = now + coolOffMillis();
        probes.clear();
        probeSuccesses = 0;
        return change(BreakerState.OPEN, reason);
    }

    private long coolOffMillis() {
        double coolOff = settings.coolOff().toMillis();
        double most = Math.max(settings.maxCoolOff().toMillis(), coolOff);
        double multiplier = settings.coolOffMultiplier();
        for (int i = 1; i < trips && coolOff < most && multiplier > 1; i++) {
            coolOff = Math.min(coolOff * multiplier, most);
        }
        return (long) coolOff;
    }

    private BreakerTransition close(String reason) {
        trips = 0;
        until = 0;
        forgetCounts();
        return change(BreakerState.CLOSED, reason);
    }

    private BreakerTransition change(BreakerState to, String reason) {
        BreakerTransition transition = new BreakerTransition(Instant.ofEpochMilli(now), state, to, reason, instance);
        state = to;
        epoch = Math.max(micros, epoch + 1);
        since = now;
        history.addFirst(transition);
        if (history.size() > HISTORY) {
            history.removeLast();
        }
        keepFor = Math.max(keepFor, KEEP_CLOSED_MILLIS);
        publish = true;
        return transition;
    }

    private void forgetCounts() {
        failures.clear();
        calls.clear();
        probes.clear();
        probeSuccesses = 0;
    }

    private void setOverrides(Map<String, String> text) {
        overrideText = Collections.unmodifiableMap(new TreeMap<>(text));
        overrides = Overrides.parse(overrideText);
        settings = configured.overriddenBy(overrides);
    }

    /** Keeps a failure; false when it is known already. */
    private boolean keep(Failure failure) {
        if (failures.containsKey(failure.callId())) {
            return false;
        }
        failures.put(
                failure.callId(),
                new BreakerFailure(
                        Instant.ofEpochMilli(now), failure.error(), failure.message(), instance, failure.durationMicros() / 1000));
        trimTo(Math.max(settings.threshold(), KEEP_FAILURES));
        return true;
    }

    private void trimTo(int most) {
        Iterator<String> oldest = failures.keySet().iterator();
        while (failures.size() > most) {
            oldest.next();
            oldest.remove();
        }
    }

    /** Drops what has outlived the window or its lease. */
    private void expire() {
        Instant end = Instant.ofEpochMilli(now - settings.window().toMillis());
        Iterator<BreakerFailure> oldest = failures.values().iterator();
        while (oldest.hasNext() && !oldest.next().at().isAfter(end)) {
            oldest.remove();
        }
        probes.values().removeIf(expiry -> expiry <= now);
    }

    private Light light() {
        boolean coolOffOver = lock == null && state == BreakerState.OPEN && now >= until;
        BreakerState visible = coolOffOver ? BreakerState.HALF_OPEN : state;
        long remaining =
                switch (visible) {
                    case CLOSED -> 0;
                    case OPEN -> Math.max(0, until - now);
                    case HALF_OPEN -> probes.size() < settings.halfOpenCalls() ? 0 : Collections.min(probes.values()) - now;
                };
        int counted = failures.size();
        boolean nearMinimum = false;
        if (settings.mode() == BreakerMode.RATE) {
            CallBuckets.Total total = calls.total(now, settings);
            counted = (int) Math.min(total.failures(), Integer.MAX_VALUE);
            nearMinimum = total.calls() < settings.minimumCalls()
                    && (double) total.failures() / settings.minimumCalls() >= settings.failureRate();
        }
        long from = coolOffOver ? until : since;
        return new Light(visible, epoch, from, remaining, trips, lock, counted, probes.size(), probeSuccesses, nearMinimum, stamp);
    }

    private StoreReply.Details details() {
        List<BreakerFailure> latest = new ArrayList<>(failures.values());
        Collections.reverse(latest);
        return new StoreReply.Details(latest.subList(0, Math.min(latest.size(), KEEP_FAILURES)), List.copyOf(history));
    }

    private StoreReply ignored() {
        return reply(false, null);
    }

    private StoreReply reply(boolean accepted, @Nullable BreakerTransition transition) {
        return reply(accepted, transition, null, null, false);
    }

    private StoreReply reply(
            boolean accepted,
            @Nullable BreakerTransition transition,
            @Nullable Map<String, String> told,
            StoreReply.@Nullable Details details,
            boolean forgotten) {
        return new StoreReply(light(), accepted, instance, transition, told, details, forgotten);
    }

    private static String cause(@Nullable Failure failure) {
        if (failure == null) {
            return "";
        }
        return " (" + failure.error() + (failure.message() == null ? "" : ": " + failure.message()) + ")";
    }
}
