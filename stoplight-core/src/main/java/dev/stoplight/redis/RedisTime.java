package dev.stoplight.redis;

import java.util.concurrent.TimeUnit;

/**
 * Redis' clock as far as it is known here: the last time it told, carried on by this process's monotonic clock. An instance
 * that goes on alone therefore never compares its own wall clock with anything.
 */
final class RedisTime {

    private record Reading(long micros, long atNanos) {}

    private volatile Reading last = new Reading(0, 0);

    void seen(long micros) {
        if (micros > last.micros) {
            last = new Reading(micros, System.nanoTime());
        }
    }

    boolean known() {
        return last.micros > 0;
    }

    long micros() {
        Reading reading = last;
        return reading.micros == 0
                ? TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis())
                : reading.micros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - reading.atNanos);
    }
}
