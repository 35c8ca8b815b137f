package dev.stoplight.testing;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store that remembers what it was asked, and on request sends every command twice, as a client that retries would. */
public final class RecordingStore extends ForwardingStore {

    private final List<StoreRequest> requests = new CopyOnWriteArrayList<>();
    private volatile boolean repeating;

    public RecordingStore(BreakerStore target) {
        super(target);
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
            return super.execute(request);
        }
        return super.execute(request).thenCompose(lost -> super.execute(request));
    }
}
