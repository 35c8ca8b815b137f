package dev.stoplight.testing;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store that remembers what it was asked, and on request sends every command twice, as a client that retries would. */
public final class RecordingStore implements BreakerStore {

    private final BreakerStore target;
    private final List<StoreRequest> requests = new CopyOnWriteArrayList<>();
    private volatile boolean repeating;

    public RecordingStore(BreakerStore target) {
        this.target = target;
    }

    /** From now on each command that may be repeated is sent twice, and the second answer counts. */
    public void repeatCommands() {
        repeating = true;
    }

    public List<StoreRequest> requests() {
        return List.copyOf(requests);
    }

    public void forgetRequests() {
        requests.clear();
    }

    @Override
    public CompletionStage<StoreReply> execute(StoreRequest request) {
        requests.add(request);
        if (!repeating || request.command() instanceof StoreCommand.Count) {
            return target.execute(request);
        }
        return target.execute(request).thenCompose(lost -> target.execute(request));
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
    public Runnable subscribe(StoreObserver observer) {
        return target.subscribe(observer);
    }

    @Override
    public CompletionStage<Set<String>> known() {
        return target.known();
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
