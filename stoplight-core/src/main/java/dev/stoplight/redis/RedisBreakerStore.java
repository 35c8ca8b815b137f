package dev.stoplight.redis;

import dev.stoplight.BreakerSettings;
import dev.stoplight.StoreUnavailableException;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.Range;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lights in Redis, so that every instance sees the same.
 *
 * <p>Redis decides, atomically and on its own clock. While it cannot be reached every instance goes on by itself, starting
 * from what it last knew; one background thread looks for Redis, and on its return what Redis knows holds again.
 */
public final class RedisBreakerStore implements BreakerStore {

    private static final System.Logger LOG = System.getLogger(RedisBreakerStore.class.getName());

    /** Stands for a breaker and an instance where none is meant. */
    private static final String NOBODY = "nobody";

    /** For what no call waits for, at least: connecting, reading everything afresh. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** As many are looked after with each heartbeat, so that very many red lights cost Redis no more than some. */
    private static final int LOOKED_AFTER = 100;

    private final Connector connector;
    private final Keys keys;
    private final Duration timeout;
    private final Duration patience;
    private final LongSupplier clock;
    private final Duration heartbeat;
    private final RedisTime time;
    private final List<StoreObserver> observers = new CopyOnWriteArrayList<>();
    private final SharedLights shared = new SharedLights(this::isUsed);
    private final Listing listing;
    private final Requests requests;
    private final ScheduledExecutorService background;

    /** For single breakers that Redis cannot serve just now though it is there. */
    private final MemoryBreakerStore aside;

    private final CatchUp catchUp;

    private volatile @Nullable Link link;
    private volatile MemoryBreakerStore local;
    private volatile StoreStatus status = new StoreStatus(false, Instant.now(), "not connected yet");
    private volatile long upSinceNanos;
    private volatile boolean warned;
    private volatile boolean closed;

    /** The breaker whose command found the outage: Redis is back when that works again. */
    private volatile @Nullable StoreRequest failedRequest;

    private RedisBreakerStore(Builder builder) {
        this.connector = Connector.of(builder.client);
        this.keys = new Keys(builder.keyPrefix);
        this.timeout = builder.timeout;
        this.patience = timeout.compareTo(PATIENCE) > 0 ? timeout : PATIENCE;
        this.clock = builder.clock;
        this.heartbeat = builder.heartbeat;
        this.time = new RedisTime(builder.wallClock);
        this.listing = new Listing(keys.breakers(), time);
        this.requests = new Requests(keys, time, clock, shared, listing);
        this.local = MemoryBreakerStore.standingIn(time::micros, observers);
        this.aside = MemoryBreakerStore.standingIn(time::micros, observers);
        this.catchUp = new CatchUp(requests, shared, listing, aside, observers, patience, this::goDown);
        this.background = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "stoplight-redis");
            thread.setDaemon(true);
            return thread;
        });
        try {
            // Nothing is warm yet, neither here nor in the client.
            Duration first = PATIENCE.plus(PATIENCE);
            Link.await(CompletableFuture.runAsync(() -> look(first), background), first);
        } catch (IllegalStateException e) {
            LOG.log(Level.DEBUG, "Redis takes long to connect", e);
        }
        if (link == null) {
            warn(status.detail());
        }
        // At a fixed rate: what took long, because Redis hangs, is followed by the next look at once.
        background.scheduleAtFixedRate(this::beat, heartbeat.toMillis(), heartbeat.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * A store on that client, with default options.
     *
     * <p>The client should be the store's own: its options are set to fail fast. It is not shut down with the store. Redis need
     * not be there yet.
     *
     * @param client a {@code RedisClient} (one server, or Sentinel) or a {@code RedisClusterClient}
     */
    public static RedisBreakerStore connect(AbstractRedisClient client) {
        return builder(client).connect();
    }

    /** Options for a store on that client; see {@link #connect(AbstractRedisClient)}. */
    public static Builder builder(AbstractRedisClient client) {
        return new Builder(client);
    }

    @Override
    public String type() {
        return "redis";
    }

    @Override
    public boolean immediate() {
        return false;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public StoreStatus status() {
        return status;
    }

    @Override
    public synchronized Runnable subscribe(StoreObserver observer) {
        observers.add(observer);
        if (link == null) {
            observer.statusChanged(status);
        }
        return () -> {
            observers.remove(observer);
            if (observers.isEmpty()) {
                close();
            }
        };
    }

    @Override
    public CompletionStage<StoreReply> execute(StoreRequest request) {
        Link current = link;
        if (current == null) {
            return locally(request, null);
        }
        long start = System.nanoTime();
        // Redis does nothing that it gets to only after the time limit. To an operator a refusal must mean that nothing was
        // changed, so the answer to what was done just in time is waited for.
        Duration wait = request.command().administrative() ? timeout.multipliedBy(2) : timeout;
        return requests.send(current, request, timeout)
                .orTimeout(wait.toMillis(), TimeUnit.MILLISECONDS)
                .handle((reply, thrown) -> {
                    observers.forEach(o -> o.commandDone(label(request), thrown == null, System.nanoTime() - start));
                    return thrown == null ? CompletableFuture.completedFuture(reply) : instead(current, request, Link.unwrap(thrown));
                })
                .thenCompose(answer -> answer);
    }

    private CompletionStage<StoreReply> instead(Link current, StoreRequest request, Throwable cause) {
        if (!Requests.refused(cause)) {
            goDown(current, request, cause);
        } else if (!request.command().administrative()) {
            return decide(aside, request);
        }
        return locally(request, cause);
    }

    private static String label(StoreRequest request) {
        return request.command().getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Decides in this process. What must be shared is refused instead. */
    private CompletionStage<StoreReply> locally(StoreRequest request, @Nullable Throwable cause) {
        if (request.command().administrative()) {
            String why = cause == null ? status.detail() : describe(cause);
            return CompletableFuture.failedFuture(new StoreUnavailableException(
                    "Breaker '" + request.id() + "' was not changed, because Redis cannot be reached: " + why, cause));
        }
        // Redis may be back already; then the next heartbeat reads what was decided here.
        return decide(link == null ? local : aside, request);
    }

    private CompletionStage<StoreReply> decide(MemoryBreakerStore standIn, StoreRequest request) {
        for (StoreObserver observer : observers) {
            StoreObserver.Active active = observer.active(request.id());
            if (active != null && active.light().stamp() > 0) {
                standIn.seed(active);
            }
        }
        return standIn.execute(request);
    }

    @Override
    public CompletionStage<Set<String>> known() {
        return known(Integer.MAX_VALUE);
    }

    @Override
    public CompletionStage<Set<String>> known(int most) {
        Link current = link;
        if (current == null) {
            return local.known(most);
        }
        return listing.latest(current, most)
                .toCompletableFuture()
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .<CompletionStage<Set<String>>>handle((ids, thrown) ->
                        thrown == null ? CompletableFuture.completedFuture(new LinkedHashSet<>(ids)) : local.known(most))
                .thenCompose(ids -> ids);
    }

    private void received(String json) {
        Wire.Message message;
        try {
            message = requests.decode(json);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "A message cannot be understood: " + json, e);
            return;
        }
        if (shared.lightLostBy(message.id(), message.reply())) {
            inBackground(() -> {
                Link current = link;
                if (current != null) {
                    catchUp.readAll(current);
                }
            });
            return;
        }
        if (message.reply().forgotten()) {
            listing.noteAgain(message.id());
        }
        observers.forEach(observer -> catchUp.heard(observer, message.id(), message.reply()));
    }

    private boolean isUsed(String id) {
        return observers.stream().anyMatch(observer -> observer.active(id) != null);
    }

    private synchronized void goDown(Link broken, @Nullable StoreRequest request, Throwable cause) {
        if (link != broken) {
            return;
        }
        MemoryBreakerStore alone = MemoryBreakerStore.standingIn(time::micros, observers);
        observers.forEach(observer -> observer.noteworthy().forEach(alone::seed));
        StoreStatus down = new StoreStatus(false, Instant.now(), describe(cause));
        failedRequest = request;
        local = alone;
        status = down;
        link = null;
        broken.close();
        warn(down.detail());
        inBackground(() -> {
            observers.forEach(observer -> observer.statusChanged(down));
            // One that was hardly up would only go up and down; it is looked for with the next heartbeat.
            if (System.nanoTime() - upSinceNanos > heartbeat.toNanos()) {
                look();
            }
        });
    }

    private void warn(String why) {
        warned = true;
        LOG.log(Level.WARNING, "Redis cannot be reached; breakers go on in this process until it can: {0}", why);
    }

    private static String describe(Throwable cause) {
        String said = cause.getMessage() == null ? cause.getClass().getSimpleName() : describeMessage(cause, cause.getMessage());
        // That there is no connection is said by the outermost; why, by the innermost.
        Throwable deepest = cause;
        while (deepest.getCause() != null && deepest.getCause() != deepest) {
            deepest = deepest.getCause();
        }
        String why = deepest.getMessage();
        return why == null || said.contains(why) ? said : said + " (" + deepest.getClass().getSimpleName() + ": " + why + ")";
    }

    /** What is thrown here speaks for itself. */
    private static String describeMessage(Throwable cause, String message) {
        return cause instanceof IllegalStateException ? message : cause.getClass().getSimpleName() + ": " + message;
    }

    private void inBackground(Runnable task) {
        try {
            background.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The store is closed", e);
        }
    }

    /** Looks for Redis; only ever on the background thread. */
    private void look() {
        look(PATIENCE);
    }

    private void look(Duration limit) {
        if (closed || link != null) {
            return;
        }
        Link fresh = null;
        List<String> known;
        try {
            fresh = Link.open(connector, keys, this::received, () -> inBackground(this::renewSubscription), limit);
            check(fresh);
            // Before anyone else on this instance can write to it.
            known = Link.await(listing.all(fresh), patience);
        } catch (RuntimeException e) {
            if (fresh != null) {
                fresh.close();
            }
            status = new StoreStatus(false, status.since(), describe(Link.unwrap(e)));
            return;
        }
        Link working = fresh;
        StoreStatus up = new StoreStatus(true, Instant.now(), "connected");
        String outage = Long.toString(Duration.between(status.since(), up.since()).toMillis());
        synchronized (this) {
            if (closed) {
                working.close();
                return;
            }
            LOG.log(warned ? Level.INFO : Level.DEBUG, "Redis is there after {0}ms; breakers are shared", outage);
            warned = false;
            status = up;
            upSinceNanos = System.nanoTime();
            link = working;
        }
        observers.forEach(observer -> observer.statusChanged(up));
        working.onDisconnect(() -> goDown(working, null, new IllegalStateException("the connection was closed")));
        catchUp.readAll(working, known);
    }

    /** Redis is there when it can be written to, and when what failed works again, in time. */
    private void check(Link fresh) {
        askTime(fresh);
        Link.await(listing.prune(fresh), patience);
        StoreRequest failed = failedRequest;
        StoreCommand read = new StoreCommand.Read(false);
        if (failed == null) {
            // The first command of all loads classes and a script, which may take longer than a call waits; nobody waits for this one.
            Link.await(requests.run(fresh, new StoreRequest(NOBODY, NOBODY, BreakerSettings.builtIn(), read), patience), patience);
        } else {
            Link.await(requests.run(fresh, new StoreRequest(failed.id(), failed.instance(), failed.settings(), read), timeout), timeout);
            // Of a Cluster's masters only this one may refuse to write. This writes nothing, but is refused with the rest.
            Link.await(fresh.commands().zremrangebyscore(keys.probes(failed.id()), Range.create(0, 0)), patience);
        }
        failedRequest = null;
    }

    /** Sets the time here by Redis' clock; tells whether that was set back. */
    private boolean askTime(Link current) {
        long injected = clock.getAsLong();
        if (injected != 0) {
            return time.set(time.lastTold(), injected);
        }
        long asked = time.micros();
        List<String> told = Link.await(current.commands().time(), patience);
        return time.set(asked, TimeUnit.SECONDS.toMicros(Long.parseLong(told.get(0))) + Long.parseLong(told.get(1)));
    }

    /** The subscription broke while commands still work: subscribe again and catch up. What fails is tried again by the heartbeat. */
    private void renewSubscription() {
        Link current = link;
        if (current == null || closed) {
            return;
        }
        try {
            current.resubscribe(PATIENCE);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The subscription could not be renewed at once", e);
            return;
        }
        catchUp.readAll(current);
    }

    private void beat() {
        try {
            Link current = link;
            if (current == null) {
                look();
            } else {
                lookAfter(current);
            }
        } catch (RuntimeException | Error e) {
            // Whatever it is, the next heartbeat must come.
            LOG.log(closed ? Level.DEBUG : Level.WARNING, "The heartbeat failed", e);
        }
    }

    /** Finds out in time that Redis hangs, that the subscription is dead, or that Redis has lost its memory. */
    private void lookAfter(Link current) {
        List<String> lost;
        boolean allAnew;
        try {
            boolean setBack = askTime(current);
            allAnew = Link.await(listing.isLost(current), patience) || setBack;
            lost = lost(current);
            if (listing.pruneIsDue()) {
                // A lock may hold for longer than a listing without it being asked for.
                listing.note(current, shared.all());
                Link.await(listing.prune(current), patience);
            }
        } catch (RuntimeException e) {
            goDown(current, null, Link.unwrap(e));
            return;
        }
        try {
            Link.await(current.pingSubscription(), patience);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The subscription does not answer", e);
            try {
                current.resubscribe(PATIENCE);
            } catch (RuntimeException again) {
                goDown(current, null, Link.unwrap(again));
                return;
            }
            catchUp.readAll(current);
            return;
        }
        // What an operator removed is known by now, because its message came before the pong.
        if (allAnew || lost.stream().anyMatch(shared::holds)) {
            catchUp.readAll(current);
        }
        catchUp.readAside(current);
    }

    /** Of what Redis must know, what it does not. */
    private List<String> lost(Link current) {
        Map<String, CompletionStage<Boolean>> found = new LinkedHashMap<>();
        for (String id : shared.some(LOOKED_AFTER)) {
            List<String> wanted = new ArrayList<>();
            if (shared.remaining(id) != null) {
                wanted.add(keys.state(id));
            }
            if (!shared.overrides(id).isEmpty()) {
                wanted.add(keys.settings(id));
            }
            if (!wanted.isEmpty()) {
                found.put(id, current.commands().exists(wanted.toArray(String[]::new)).thenApply(there -> there == wanted.size()));
            }
        }
        List<String> lost = new ArrayList<>();
        found.forEach((id, complete) -> {
            if (!Link.await(complete, patience)) {
                lost.add(id);
            }
        });
        return lost;
    }

    @Override
    public void close() {
        Link current;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            current = link;
            link = null;
            status = new StoreStatus(false, Instant.now(), "closed");
        }
        endBackground();
        if (current != null) {
            try {
                Link.await(current.close(), PATIENCE);
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "The connection was closed before", e);
            }
        }
    }

    /** Who closes the store shuts the client down next; a connection that is being opened then would fail noisily. */
    private void endBackground() {
        background.shutdown();
        try {
            if (!background.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                background.shutdownNow();
            }
        } catch (InterruptedException e) {
            background.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** Options of a store; everything has a default. */
    public static final class Builder {

        private final AbstractRedisClient client;
        private String keyPrefix = "stoplight";
        private Duration timeout = Duration.ofMillis(100);
        private Duration heartbeat = Duration.ofSeconds(1);
        private LongSupplier clock = () -> 0;
        private LongSupplier wallClock = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());

        private Builder(AbstractRedisClient client) {
            this.client = client;
        }

        /** What every key and the channel begin with; instances with the same prefix share their lights. */
        public Builder keyPrefix(String keyPrefix) {
            this.keyPrefix = keyPrefix;
            return this;
        }

        /** The longest that a call ever waits for Redis. */
        public Builder timeout(Duration timeout) {
            this.timeout = positive("timeout", timeout);
            return this;
        }

        /** How often the connection is checked, and looked for when it is lost. */
        public Builder heartbeat(Duration heartbeat) {
            this.heartbeat = positive("heartbeat", heartbeat);
            return this;
        }

        /** Microseconds instead of Redis' own time, for tests that must not wait. */
        Builder clock(LongSupplier micros) {
            this.clock = micros;
            return this;
        }

        /** Microseconds instead of this machine's wall clock, for tests. */
        Builder wallClock(LongSupplier micros) {
            this.wallClock = micros;
            return this;
        }

        /** Connects; when Redis is not there the store starts anyway, works locally and keeps looking. */
        public RedisBreakerStore connect() {
            Wire.load();
            return new RedisBreakerStore(this);
        }

        private static Duration positive(String name, Duration duration) {
            if (duration.toMillis() < 1) {
                throw new IllegalArgumentException(name + " must be at least 1ms, was " + duration);
            }
            return duration;
        }
    }
}
