package dev.stoplight;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.testing.RecordedEvents;
import dev.stoplight.testing.RecordingStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;

/** One instance of a service: its registry, what its store was asked and what its listeners heard. */
public final class Node implements AutoCloseable {

    public final String instance;
    public final RecordingStore store;
    public final RecordedEvents events = new RecordedEvents();
    public final BreakerRegistry registry;

    public Node(String instance, BreakerStore store, TestClock clock) {
        this.instance = instance;
        this.store = new RecordingStore(store);
        this.registry = BreakerRegistry.builder()
                .store(this.store)
                .instance(instance)
                .ticker(clock)
                .flushInterval(Duration.ZERO)
                .listener(events)
                .build();
    }

    /** What the store answers this instance. */
    StoreReply execute(String id, BreakerSettings settings, StoreCommand command) {
        return store.execute(new StoreRequest(id, instance, settings, command)).toCompletableFuture().join();
    }

    @Override
    public void close() {
        registry.close();
    }
}
