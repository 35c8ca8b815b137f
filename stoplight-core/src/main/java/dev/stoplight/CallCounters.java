package dev.stoplight;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts outcomes. A key's counters also count for its name; they stay small, since there may be very many, and most of those
 * never see anything but successes.
 */
final class CallCounters {

    private final @Nullable CallCounters ofName;
    private final LongAdder succeeded = new LongAdder();
    private volatile @Nullable Trouble trouble;

    /** Everything but successes. */
    private static final class Trouble {
        private final LongAdder failed = new LongAdder();
        private final LongAdder ignored = new LongAdder();
        private final LongAdder slow = new LongAdder();
        private final LongAdder rejected = new LongAdder();
    }

    CallCounters(@Nullable CallCounters ofName) {
        this.ofName = ofName;
    }

    void succeeded() {
        succeeded.increment();
        if (ofName != null) {
            ofName.succeeded();
        }
    }

    void rejected() {
        trouble().rejected.increment();
        if (ofName != null) {
            ofName.rejected();
        }
    }

    void failed() {
        trouble().failed.increment();
        if (ofName != null) {
            ofName.failed();
        }
    }

    void ignored() {
        trouble().ignored.increment();
        if (ofName != null) {
            ofName.ignored();
        }
    }

    void slow() {
        trouble().slow.increment();
        if (ofName != null) {
            ofName.slow();
        }
    }

    private Trouble trouble() {
        Trouble known = trouble;
        return known == null ? firstTrouble() : known;
    }

    private synchronized Trouble firstTrouble() {
        Trouble known = trouble;
        if (known == null) {
            known = new Trouble();
            trouble = known;
        }
        return known;
    }

    BreakerCalls read() {
        Trouble known = trouble;
        return known == null
                ? new BreakerCalls(succeeded.sum(), 0, 0, 0, 0)
                : new BreakerCalls(
                        succeeded.sum(), known.failed.sum(), known.ignored.sum(), known.slow.sum(), known.rejected.sum());
    }
}
