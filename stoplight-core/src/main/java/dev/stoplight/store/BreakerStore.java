package dev.stoplight.store;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Keeps the lights. One store may serve several registries.
 *
 * <p>A store decides by the rules that {@link MemoryBreakerStore} applies, on a clock of its own.
 */
public interface BreakerStore extends AutoCloseable {

    /** A word for people: {@code memory}, {@code redis}. */
    String type();

    /** Whether {@link #execute} answers before it returns, so that nothing is gained by gathering calls. */
    boolean immediate();

    /** Connects a registry; the result disconnects it. A store is closed with its last registry. */
    Runnable subscribe(StoreObserver observer);

    /**
     * Carries out one command.
     *
     * <p>The stage always completes, within the store's own time limit. It fails only for administrative commands, with
     * {@link dev.stoplight.StoreUnavailableException}; when calls are concerned, a store that cannot be reached decides locally.
     */
    CompletionStage<StoreReply> execute(StoreRequest request);

    /** The ids of the breakers of which this store knows something, from any instance. */
    CompletionStage<Set<String>> known();

    /** As {@link #known()}, but at most so many, the latest first where this store can tell: there may be very many. */
    default CompletionStage<Set<String>> known(int most) {
        return known().thenApply(ids -> ids.stream().limit(most).collect(Collectors.toCollection(LinkedHashSet::new)));
    }

    /** The longest that one call waits for this store in all, however often it must ask. */
    default Duration timeout() {
        return Duration.ofSeconds(1);
    }

    StoreStatus status();

    @Override
    void close();
}
