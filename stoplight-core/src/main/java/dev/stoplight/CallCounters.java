package dev.stoplight;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts outcomes. A key's counters also count for its name; they stay small, since there may be very many. */
final class CallCounters {

    private static final AtomicLongFieldUpdater<CallCounters> FAILED =
            AtomicLongFieldUpdater.newUpdater(CallCounters.class, "failed");
    private static final AtomicLongFieldUpdater<CallCounters> IGNORED =
            AtomicLongFieldUpdater.newUpdater(CallCounters.class, "ignored");
    private static final AtomicLongFieldUpdater<CallCounters> SLOW = AtomicLongFieldUpdater.newUpdater(CallCounters.class, "slow");

    private final @Nullable CallCounters ofName;
    private final LongAdder succeeded = new LongAdder();
    private volatile @Nullable LongAdder rejected;
    private volatile long failed;
    private volatile long ignored;
    private volatile long slow;

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
        LongAdder adder = rejected;
        (adder == null ? firstRejection() : adder).increment();
        if (ofName != null) {
            ofName.rejected();
        }
    }

    private synchronized LongAdder firstRejection() {
        LongAdder adder = rejected;
        if (adder == null) {
            adder = new LongAdder();
            rejected = adder;
        }
        return adder;
    }

    void failed() {
        FAILED.incrementAndGet(this);
        if (ofName != null) {
            ofName.failed();
        }
    }

    void ignored() {
        IGNORED.incrementAndGet(this);
        if (ofName != null) {
            ofName.ignored();
        }
    }

    void slow() {
        SLOW.incrementAndGet(this);
        if (ofName != null) {
            ofName.slow();
        }
    }

    BreakerCalls read() {
        LongAdder adder = rejected;
        return new BreakerCalls(succeeded.sum(), failed, ignored, slow, adder == null ? 0 : adder.sum());
    }
}
