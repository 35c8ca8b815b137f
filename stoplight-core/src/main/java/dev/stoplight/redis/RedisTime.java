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

    private volatile Reading last;

    RedisTime(LongSupplier wallMicros) {
        this.last = Reading.now(wallMicros.getAsLong());
    }

    /** A new connection, and what its Redis says. */
    synchronized void connected(long micros) {
        last = Reading.now(micros);
    }

    /** What Redis said by the way; the answer that took least time to get here is the best to go by. */
    synchronized void told(long micros) {
        if (micros > last.carriedOn()) {
            last = Reading.now(micros);
        }
    }

    long micros() {
        return last.carriedOn();
    }
}
