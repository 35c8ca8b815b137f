package dev.stoplight.store;

import dev.stoplight.BreakerSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Calls, failures and latency of a window in at most 60 buckets, so that memory does not grow with traffic. */
final class CallBuckets {

    static final int MOST = 60;

    private static final int CALLS = 0;
    private static final int FAILURES = 1;
    private static final int LATENCY = 2;

    private long width;
    private final TreeMap<Long, long[]> buckets = new TreeMap<>();
    private final Map<String, Long> marks = new HashMap<>();

    /** What the window holds. */
    record Total(long calls, long failures, long latencyMicros) {}

    void add(long now, long calls, long failures, long latencyMicros, BreakerSettings settings) {
        trim(now, settings);
        if (calls == 0) {
            return;
        }
        long[] bucket = buckets.computeIfAbsent(now / width, index -> new long[3]);
        bucket[CALLS] += calls;
        bucket[FAILURES] += failures;
        bucket[LATENCY] += latencyMicros;
    }

    /** Notes that an instance has reason to trip the light. */
    void mark(String instance, long now) {
        marks.put(instance, now);
    }

    /** How many instances had reason to trip the light within the window. */
    int marked(long now, BreakerSettings settings) {
        marks.values().removeIf(at -> at <= now - settings.window().toMillis());
        return marks.size();
    }

    Total total(long now, BreakerSettings settings) {
        trim(now, settings);
        long calls = 0;
        long failures = 0;
        long latency = 0;
        for (long[] bucket : buckets.values()) {
            calls += bucket[CALLS];
            failures += bucket[FAILURES];
            latency += bucket[LATENCY];
        }
        return new Total(calls, failures, latency);
    }

    void clear() {
        buckets.clear();
        marks.clear();
    }

    /** A bucket goes when its beginning is a window old; a changed window means other buckets, so counting starts afresh. */
    private void trim(long now, BreakerSettings settings) {
        long window = settings.window().toMillis();
        long wanted = (window + MOST - 1) / MOST;
        if (wanted != width) {
            clear();
            width = wanted;
        }
        buckets.headMap(now / width - window / width, true).clear();
    }
}
