package dev.stoplight.redis;

import dev.stoplight.store.Light;
import dev.stoplight.store.StoreReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What Redis last said of the lights that must not be lost with it: red, locked, or changed at run time. What an instance
 * decides while it is alone never gets in here, so that one cut-off node cannot turn the light red for all.
 */
final class SharedLights {

    private record Entry(Light light, long atNanos, Map<String, String> overrides) {}

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final Predicate<String> used;

    /** @param used whether a breaker of that id is in use on this instance; of others no changes are heard, so nothing is kept */
    SharedLights(Predicate<String> used) {
        this.used = used;
    }

    void learn(String id, StoreReply reply) {
        if (!used.test(id)) {
            entries.remove(id);
            return;
        }
        entries.compute(id, (key, before) -> {
            Light told = reply.light();
            if (before != null && (reply.forgotten() ? told.stamp() < before.light.stamp() : !told.isLaterThan(before.light))) {
                return before;
            }
            Map<String, String> overrides = reply.overrides();
            if (overrides == null) {
                overrides = before == null ? Map.of() : before.overrides;
            }
            return told.worthRestoring() || !overrides.isEmpty() ? new Entry(told, System.nanoTime(), overrides) : null;
        });
    }

    /** Whether that reply is of a Redis that no longer has the light it told of before. */
    boolean lightLostBy(String id, StoreReply reply) {
        Entry entry = entry(id);
        return entry != null
                && !reply.forgotten()
                && reply.light().epoch() < entry.light.epoch()
                && reply.light().stamp() > entry.light.stamp()
                && remaining(entry) != null;
    }

    /** Whether that reply knows of no changed settings where there were some. */
    boolean overridesLostBy(String id, StoreReply reply) {
        Entry entry = entry(id);
        Map<String, String> overrides = reply.overrides();
        return entry != null
                && !reply.forgotten()
                && overrides != null
                && overrides.isEmpty()
                && !entry.overrides.isEmpty()
                && reply.light().stamp() > entry.light.stamp();
    }

    /** The light with what remains of its time; null when there is nothing to put back. */
    @Nullable Light remaining(String id) {
        Entry entry = entry(id);
        return entry == null ? null : remaining(entry);
    }

    private static @Nullable Light remaining(Entry entry) {
        Light told = entry.light;
        long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - entry.atNanos);
        Light now = new Light(
                told.state(),
                told.epoch(),
                told.sinceMillis(),
                Math.max(0, told.remainingMillis() - passed),
                told.trips(),
                told.lock(),
                told.failures(),
                0,
                0,
                false,
                told.stamp());
        return now.worthRestoring() ? now : null;
    }

    Map<String, String> overrides(String id) {
        Entry entry = entry(id);
        return entry == null ? Map.of() : entry.overrides;
    }

    private @Nullable Entry entry(String id) {
        Entry entry = entries.get(id);
        return entry != null && used.test(id) ? entry : null;
    }

    /** Whether there is something to put back, should Redis lose it. */
    boolean holds(String id) {
        return remaining(id) != null || !overrides(id).isEmpty();
    }

    /** What there is to put back. Whatever is over by now, or no longer used here, goes. */
    List<String> all() {
        List<String> held = new ArrayList<>();
        entries.forEach((id, entry) -> {
            if ((entry.overrides.isEmpty() && remaining(entry) == null) || !used.test(id)) {
                entries.remove(id, entry);
            } else {
                held.add(id);
            }
        });
        return held;
    }

    /** What there is to put back; of very much, some of it, and something else the next time. */
    List<String> some(int most) {
        List<String> held = all();
        if (held.size() > most) {
            Collections.shuffle(held);
        }
        return held.subList(0, Math.min(most, held.size()));
    }
}
