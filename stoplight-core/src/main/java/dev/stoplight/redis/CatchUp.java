package dev.stoplight.redis;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads from Redis what may have changed unheard, and puts back what it has lost. */
final class CatchUp {

    /** As many are read at once; all at once could be more than Redis does in any patience. */
    private static final int READ_AT_ONCE = 500;

    /** Told when Redis does not answer. */
    interface Failed {
        void failed(Link link, @Nullable StoreRequest request, Throwable cause);
    }

    /** A breaker that is being read, and what was heard of it meanwhile. */
    private record Reading(StoreObserver observer, String id, Queue<StoreReply> heard) {}

    private final Requests requests;
    private final SharedLights shared;
    private final Listing listing;
    private final MemoryBreakerStore aside;
    private final List<StoreObserver> observers;
    private final Duration patience;
    private final Failed failed;

    private final Set<Reading> underWay = ConcurrentHashMap.newKeySet();

    CatchUp(
            Requests requests,
            SharedLights shared,
            Listing listing,
            MemoryBreakerStore aside,
            List<StoreObserver> observers,
            Duration patience,
            Failed failed) {
        this.requests = requests;
        this.shared = shared;
        this.listing = listing;
        this.aside = aside;
        this.observers = observers;
        this.patience = patience;
        this.failed = failed;
    }

    /** Takes in a published change; one that arrives while its breaker is read is told once more afterwards. */
    void heard(StoreObserver observer, String id, StoreReply reply) {
        shared.learn(id, reply);
        // In this order: whichever ends last, this or the reading, tells it.
        for (Reading reading : underWay) {
            if (reading.observer == observer && reading.id.equals(id)) {
                reading.heard.add(reply);
            }
        }
        observer.changed(id, reply);
    }

    void readAll(Link link) {
        List<String> known;
        try {
            known = Link.await(listing.all(link), patience);
        } catch (RuntimeException e) {
            failed.failed(link, null, Link.unwrap(e));
            return;
        }
        readAll(link, known);
    }

    /**
     * Reads every breaker here that Redis knows or that is not simply green. A light that Redis has lost is put back with what
     * remains of its time, and so are changed settings.
     */
    void readAll(Link link, Collection<String> known) {
        try {
            // Of what is not used here, changes were not heard or will not be.
            shared.all();
            listing.noteAllAgain();
            for (StoreObserver observer : observers) {
                Map<String, StoreObserver.Active> wanted = new LinkedHashMap<>();
                observer.noteworthy().forEach(active -> wanted.put(active.id(), active));
                for (String id : known) {
                    StoreObserver.Active active = observer.active(id);
                    if (active != null) {
                        wanted.put(id, active);
                    }
                }
                List<CompletableFuture<Void>> asked = new ArrayList<>();
                for (StoreObserver.Active active : wanted.values()) {
                    asked.add(read(link, observer, active));
                    if (asked.size() == READ_AT_ONCE) {
                        awaitAll(asked);
                    }
                }
                awaitAll(asked);
            }
        } catch (RuntimeException e) {
            failed.failed(link, null, Link.unwrap(e));
        }
    }

    private void awaitAll(List<CompletableFuture<Void>> asked) {
        Link.await(CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new)), patience.plus(patience));
        asked.clear();
    }

    /** Breakers that were decided aside go back to Redis as soon as it can serve them again. */
    void readAside(Link link) {
        for (String id : aside.known().toCompletableFuture().join()) {
            boolean used = false;
            for (StoreObserver observer : observers) {
                StoreObserver.Active active = observer.active(id);
                if (active != null) {
                    used = true;
                    read(link, observer, active);
                }
            }
            if (!used) {
                aside.drop(id);
            }
        }
    }

    /** The stage never fails. */
    private CompletableFuture<Void> read(Link link, StoreObserver observer, StoreObserver.Active active) {
        String id = active.id();
        StoreCommand command = requests.readAndRestore(id);
        StoreRequest request = new StoreRequest(id, observer.instance(), active.settings(), command);
        Reading reading = new Reading(observer, id, new ConcurrentLinkedQueue<>());
        underWay.add(reading);
        return requests.run(link, request, patience)
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handle((reply, thrown) -> {
                    if (thrown == null) {
                        shared.learn(id, reply);
                        aside.drop(id);
                        observer.resynchronised(id, reply);
                    }
                    // What was heard before the answer may have been said after it.
                    underWay.remove(reading);
                    reading.heard.forEach(heard -> observer.changed(id, heard));
                    if (thrown != null && !Requests.refused(Link.unwrap(thrown))) {
                        failed.failed(link, request, Link.unwrap(thrown));
                    }
                    return null;
                });
    }
}
