package dev.stoplight.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Redis' clock as far as it is known here: the last time it told, carried on by this process's monotonic clock. The wall clock
 * stands in only until Redis was first heard of, and nothing said then is compared with what Redis says.
 */
final class RedisTime {

    private record Reading(long micros, long atNanos) {

        static Reading now(long micros) {
            return new Reading(micros, System.nanoTime());
        }

        long carriedOn() {
            return micros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - atNanos);
        }
    }

    /** Further behind than an answer may take, or clocks drift apart between two readings. */
    private static final long SET_BACK_MICROS = TimeUnit.SECONDS.toMicros(1);

    private volatile Reading last;
    private volatile boolean heard;
    private volatile long setBack;

    RedisTime(LongSupplier wallMicros) {
        this.last = Reading.now(wallMicros.getAsLong());
    }

    /**
     * Redis was asked for its time when it was {@code asked} here. A clock that is behind was set back, or is another server's
     * after a failover.
     *
     * @return whether it was set back
     */
    synchronized boolean set(long asked, long micros) {
        boolean back = heard && micros < asked - SET_BACK_MICROS;
        if (back) {
            setBack += asked - micros;
        }
        if (back || !heard || micros > last.carriedOn()) {
            last = Reading.now(micros);
        }
        heard = true;
        return back;
    }

    /** What Redis said by the way; the answer that took least time to get here is the best to go by. */
    synchronized void told(long micros) {
        if (micros > last.carriedOn()) {
            last = Reading.now(micros);
        }
    }

    /** The moment as a stamp, which never goes back even when Redis' clock does. */
    long stamp(long micros) {
        return micros + setBack;
    }

    long lastTold() {
        return last.micros;
    }

    long micros() {
        return last.carriedOn();
    }
}
