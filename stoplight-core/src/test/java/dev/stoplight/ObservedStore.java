package dev.stoplight;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.testing.ForwardingStore;
import java.util.concurrent.atomic.AtomicReference;

/** A store that tells its registry nothing; the test speaks to the observer in its place. */
final class ObservedStore extends ForwardingStore {

    private final AtomicReference<StoreObserver> observer;

    ObservedStore(BreakerStore target, AtomicReference<StoreObserver> observer) {
        super(target);
        this.observer = observer;
    }

    @Override
    public Runnable subscribe(StoreObserver subscriber) {
        observer.set(subscriber);
        return () -> observer.set(null);
    }
}
