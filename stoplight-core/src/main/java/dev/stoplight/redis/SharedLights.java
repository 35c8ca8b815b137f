package dev.stoplight.redis;

import dev.stoplight.store.Light;
import dev.stoplight.store.StoreReply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What Redis last said of the lights that must not be lost with it: red, locked, or changed at run time. What an instance
 * decides while it is alone never gets in here, so that one cut-off node cannot turn the light red for all.
 */
final class SharedLights {

    private record Entry(Light light, long atNanos, Map<String, String> overrides) {}

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    void learn(String id, StoreReply reply) {
        entries.compute(id, (key, before) -> {
            Light told = reply.light();
            if (before != null && !told.isLaterThan(before.light)) {
                return before;
            }
            Map<String, String> overrides = reply.overrides();
            if (overrides == null) {
                overrides = before == null ? Map.of() : before.overrides;
            }
            return told.worthRestoring() || !overrides.isEmpty() ? new Entry(told, System.nanoTime(), overrides) : null;
        });
    }

    /** The light with what remains of its time; null when there is nothing to put back. */
    @Nullable Light remaining(String id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            return null;
        }
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
        Entry entry = entries.get(id);
        return entry == null ? Map.of() : entry.overrides;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }
}
