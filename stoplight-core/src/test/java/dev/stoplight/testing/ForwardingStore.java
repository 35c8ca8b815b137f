package dev.stoplight.testing;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A store in front of another, for a test to change what it needs. */
public abstract class ForwardingStore implements BreakerStore {

    protected final BreakerStore target;

    protected ForwardingStore(BreakerStore target) {
        this.target = target;
    }

    @Override
    public CompletionStage<StoreReply> execute(StoreRequest request) {
        return target.execute(request);
    }

    @Override
    public Runnable subscribe(StoreObserver observer) {
        return target.subscribe(observer);
    }

    @Override
    public String type() {
        return target.type();
    }

    @Override
    public boolean immediate() {
        return target.immediate();
    }

    @Override
    public CompletionStage<Set<String>> known() {
        return target.known();
    }

    @Override
    public Duration timeout() {
        return target.timeout();
    }

    @Override
    public StoreStatus status() {
        return target.status();
    }

    @Override
    public void close() {
        target.close();
    }
}
