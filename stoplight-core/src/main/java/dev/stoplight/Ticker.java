package dev.stoplight;

/** A source of monotonic time, so that tests need not wait. */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since an arbitrary, fixed moment. */
    long nanos();

    /** The JVM's own monotonic clock. */
    static Ticker system() {
        return System::nanoTime;
    }
}
