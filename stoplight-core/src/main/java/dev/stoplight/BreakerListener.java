package dev.stoplight;

/** Hears what happens. It is called outside every lock, on the thread that found out; it must not block. */
@FunctionalInterface
public interface BreakerListener {

    void onEvent(BreakerEvent event);

    /** A command to the store was answered, or not, after {@code nanos}. */
    default void onStoreCommand(String command, boolean answered, long nanos) {}
}
