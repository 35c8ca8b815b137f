package dev.stoplight;

import dev.stoplight.store.Calls;
import java.util.concurrent.atomic.LongAdder;

/** Calls that returned in one epoch and have not been sent to the store yet. */
final class CallWindow {

    private final LongAdder calls = new LongAdder();
    private final LongAdder latencyMicros = new LongAdder();
    private long sentCalls;
    private long sentLatency;

    void add(long nanos) {
        calls.increment();
        if (nanos != 0) {
            latencyMicros.add(nanos / 1000);
        }
    }

    /** What came since the last time. The sums only grow, so that nothing is lost to a concurrent {@link #add}. */
    synchronized Calls drain() {
        long latency = latencyMicros.sum();
        long count = calls.sum();
        if (count == sentCalls) {
            return Calls.NONE;
        }
        Calls fresh = new Calls(count - sentCalls, latency - sentLatency);
        sentCalls = count;
        sentLatency = latency;
        return fresh;
    }
}
