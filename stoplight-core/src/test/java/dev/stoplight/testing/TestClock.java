package dev.stoplight.testing;

import dev.stoplight.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Time that moves only when a test says so: a ticker in nanoseconds and a store's clock in microseconds since 1970.
 *
 * <p>The ticker starts shortly before it overflows, as {@link System#nanoTime} may, and the store's clock far from the machine's
 * and between two milliseconds, so that code which mixes clocks or forgets to round fails.
 */
public final class TestClock implements Ticker, LongSupplier {

    private static final long START_NANOS = Long.MAX_VALUE - Duration.ofSeconds(15).toNanos();
    private static final long START_MICROS = Instant.parse("2040-01-01T00:00:00Z").getEpochSecond() * 1_000_000 + 999;

    private final AtomicLong elapsedNanos = new AtomicLong();

    @Override
    public long nanos() {
        return START_NANOS + elapsedNanos.get();
    }

    /** Microseconds since 1970. */
    @Override
    public long getAsLong() {
        return START_MICROS + elapsedNanos.get() / 1000;
    }

    /** What a store on this clock would write down as now. */
    public Instant instant() {
        return Instant.ofEpochMilli(getAsLong() / 1000);
    }

    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative, was " + duration);
        }
        elapsedNanos.addAndGet(duration.toNanos());
    }

    /** As an administrator may set a server's clock; a monotonic clock is never set back. */
    public void setBack(Duration duration) {
        elapsedNanos.addAndGet(-duration.toNanos());
    }
}
