package dev.stoplight;

import dev.stoplight.store.Light;
import dev.stoplight.store.Overrides;
import dev.stoplight.store.StoreReply;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What one instance believes of one breaker. Immutable: a call reads it once and knows what to do. */
final class View {

    /** How long a refused probe is remembered, so that a yellow light does not become a stampede on the store. */
    static final long HOLD_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Where the knowledge stands. */
    enum Phase {
        /** The store has not been asked yet. */
        UNKNOWN,
        LIVE,
        /** Removed by an operator; the next call brings it back. */
        FORGOTTEN
    }

    final Phase phase;
    final Light light;
    final Map<String, String> overrides;

    /** The stamp of the reply that told of the overrides. */
    final long overridesStamp;

    final BreakerSettings changed;
    final BreakerSettings settings;
    final @Nullable CallWindow window;

    /** Until then a light that is not green rejects without asking. */
    final long deadlineNanos;

    /** The call runs without asking anyone. */
    final boolean runs;

    /** It runs, and when it succeeds there is nothing to do but to count it. */
    final boolean plain;

    /** It runs and counts for nothing: locked closed, or switched off. */
    final boolean passes;

    /** A rule needs the call's duration. */
    final boolean timed;

    /** There are failures that a success must clear. */
    final boolean dirty;

    /** A successful call must be reported at once, because it may trip the light. */
    final boolean eager;

    final long slowNanos;

    private View(
            Phase phase,
            Light light,
            Map<String, String> overrides,
            long overridesStamp,
            BreakerSettings changed,
            BreakerSettings configured,
            @Nullable CallWindow window,
            long deadlineNanos,
            boolean immediateStore) {
        this.phase = phase;
        this.light = light;
        this.overrides = overrides;
        this.overridesStamp = overridesStamp;
        this.changed = changed;
        this.settings = configured.overriddenBy(changed);
        this.deadlineNanos = deadlineNanos;
        boolean live = phase == Phase.LIVE;
        this.passes = live && (!settings.enabled() || light.lock() == BreakerLock.CLOSED);
        this.runs = live && (passes || light.state() == BreakerState.CLOSED);
        boolean counted = runs && !passes && settings.countsCalls();
        this.window = !counted ? null : window != null ? window : new CallWindow();
        this.slowNanos = settings.slowCall().map(d -> d.toNanos()).orElse(Long.MAX_VALUE);
        boolean averaged = settings.maxAverageLatency().isPresent();
        this.timed = !passes && (averaged || settings.slowCall().isPresent());
        this.dirty = runs && !passes && settings.mode() == BreakerMode.CONSECUTIVE && light.failures() > 0;
        this.eager = counted && ((averaged && immediateStore) || light.nearMinimum());
        this.plain = runs && (passes || !(counted || timed || dirty));
    }

    /** A breaker of which the store has not been asked yet. */
    static View unknown(BreakerSettings settings) {
        return new View(Phase.UNKNOWN, Light.GREEN, Map.of(), 0, BreakerSettings.builtIn(), settings, null, 0, false);
    }

    /** A green breaker of which nothing is known. */
    static View green(BreakerSettings settings, boolean immediateStore) {
        return new View(Phase.LIVE, Light.GREEN, Map.of(), 0, BreakerSettings.builtIn(), settings, null, 0, immediateStore);
    }

    /** The same after an operator removed it. */
    View forgotten(BreakerSettings configured) {
        return new View(Phase.FORGOTTEN, Light.GREEN, Map.of(), 0, BreakerSettings.builtIn(), configured, null, 0, false);
    }

    /** The view that follows from what the store said of the light and of run-time settings, where it said something new. */
    View next(
            @Nullable Light newLight,
            @Nullable StoreReply newSettings,
            BreakerSettings configured,
            Ticker ticker,
            boolean immediateStore) {
        Map<String, String> told = newSettings == null ? null : newSettings.overrides();
        boolean same = told == null || told.equals(overrides);
        Map<String, String> text = same ? overrides : Map.copyOf(told);
        BreakerSettings parsed = same ? changed : Overrides.parse(text);
        long stamp = newSettings == null ? overridesStamp : newSettings.light().stamp();
        Light now = newLight == null ? light : newLight;
        CallWindow kept = now.epoch() == light.epoch() ? window : null;
        long deadline = newLight == null ? deadlineNanos : deadline(now, configured.overriddenBy(parsed), ticker);
        return new View(Phase.LIVE, now, text, stamp, parsed, configured, kept, deadline, immediateStore);
    }

    /** The same light under changed settings. */
    View reconfigured(BreakerSettings configured, boolean immediateStore) {
        return new View(phase, light, overrides, overridesStamp, changed, configured, window, deadlineNanos, immediateStore);
    }

    /** The same with the streak of failures cleared, before the store has confirmed it. */
    View cleared(BreakerSettings configured, boolean immediateStore) {
        Light clean = new Light(
                light.state(), light.epoch(), light.sinceMillis(), 0, light.trips(), light.lock(), 0, 0, 0, false, light.stamp());
        return new View(phase, clean, overrides, overridesStamp, changed, configured, window, 0, immediateStore);
    }

    private static long deadline(Light light, BreakerSettings settings, Ticker ticker) {
        if (light.lock() != null) {
            return 0;
        }
        return switch (light.state()) {
            case CLOSED -> 0;
            case OPEN -> ticker.nanos() + TimeUnit.MILLISECONDS.toNanos(light.remainingMillis());
            case HALF_OPEN -> light.probes() < settings.halfOpenCalls()
                    ? ticker.nanos()
                    : ticker.nanos() + Math.min(HOLD_OFF_NANOS, TimeUnit.MILLISECONDS.toNanos(light.remainingMillis()));
        };
    }

    boolean lockedOpen() {
        return light.lock() == BreakerLock.OPEN && settings.enabled();
    }

    /** What is left of the time during which calls are rejected without asking. */
    long remainingNanos(long now) {
        return runs || light.state() == BreakerState.CLOSED ? 0 : Math.max(0, deadlineNanos - now);
    }

    /** The state as it reads at that moment: red turns yellow when the cool-off is over, with or without traffic. */
    BreakerState state(long now) {
        if (light.state() == BreakerState.OPEN && light.lock() == null && remainingNanos(now) == 0) {
            return BreakerState.HALF_OPEN;
        }
        return light.state();
    }
}
