package dev.stoplight;

/**
 * Hears what happens, outside every lock. Two transitions that different threads or instances make at nearly the same time may
 * be heard in either order.
 *
 * <p>With a store in this process it is called on the thread whose call did it, otherwise on a thread for listeners.
 */
@FunctionalInterface
public interface BreakerListener {

    void onEvent(BreakerEvent event);

    /**
     * A command to the store was answered, or not, after {@code nanos}. It is called on the thread that brought the answer, before
     * anyone else gets it, so it must neither block nor take long.
     */
    default void onStoreCommand(String command, boolean answered, long nanos) {}
}
