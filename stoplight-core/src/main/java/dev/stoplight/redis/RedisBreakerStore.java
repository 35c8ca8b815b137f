package dev.stoplight.redis;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.stoplight.StoreUnavailableException;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.Light;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.Range;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
    private static final Duration KEEP_SIGHTED = Duration.ofDays(7);
    private static final Duration SIGHT_AGAIN = Duration.ofMinutes(10);
    private static final int MOST_SIGHTED = 100_000;

    /** For what no call waits for: connecting, reading everything afresh. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Connector connector;
    private final Keys keys;
    private final Duration timeout;
    private final LongSupplier clock;
    private final RedisTime time = new RedisTime();
    private final SharedLights shared = new SharedLights();
    private final List<StoreObserver> observers = new CopyOnWriteArrayList<>();
    private final Cache<String, Boolean> sighted =
            Caffeine.newBuilder().expireAfterWrite(SIGHT_AGAIN).maximumSize(MOST_SIGHTED).executor(Runnable::run).build();
    private final ScheduledExecutorService background;

    private volatile @Nullable Link link;
    private volatile MemoryBreakerStore local;
    private volatile StoreStatus status = new StoreStatus(false, Instant.now(), "not connected yet");
    private volatile boolean closed;

    /** The breaker whose command found the outage: Redis is back when that works again. */
    private volatile @Nullable StoreRequest failedRequest;

    private RedisBreakerStore(Builder builder) {
        this.connector = Connector.of(builder.client);
        this.keys = new Keys(builder.keyPrefix);
        this.timeout = builder.timeout;
        this.clock = builder.clock;
        this.local = new MemoryBreakerStore(time::micros);
        this.background = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "stoplight-redis");
            thread.setDaemon(true);
            return thread;
        });
        long heartbeat = builder.heartbeat.toMillis();
        try {
            Link.await(CompletableFuture.runAsync(this::look, background), PATIENCE.plus(PATIENCE));
        } catch (IllegalStateException e) {
            LOG.log(Level.DEBUG, "Redis takes long to connect", e);
        }
        if (link == null) {
            warn(status.detail());
        }
        background.scheduleWithFixedDelay(this::beat, heartbeat, heartbeat, TimeUnit.MILLISECONDS);
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
    public StoreStatus status() {
        return status;
    }

    @Override
    public Runnable subscribe(StoreObserver observer) {
        observers.add(observer);
        Runnable fromLocal = local.subscribe(observer);
        if (link == null) {
            observer.statusChanged(status);
        }
        return () -> {
            fromLocal.run();
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
        CompletableFuture<StoreReply> result = new CompletableFuture<>();
        long start = System.nanoTime();
        send(current, request)
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((reply, thrown) -> {
                    observers.forEach(o -> o.commandDone(label(request), thrown == null, System.nanoTime() - start));
                    if (thrown == null) {
                        result.complete(reply);
                    } else {
                        Throwable cause = Link.unwrap(thrown);
                        if (!isMoving(cause)) {
                            goDown(current, request, cause);
                        }
                        locally(request, cause).whenComplete((answer, refusal) -> {
                            if (refusal == null) {
                                result.complete(answer);
                            } else {
                                result.completeExceptionally(refusal);
                            }
                        });
                    }
                });
        return result;
    }

    private static String label(StoreRequest request) {
        return request.command().getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private CompletableFuture<StoreReply> send(Link current, StoreRequest request) {
        Wire.Call call = Wire.encode(request, keys.channel(), clock.getAsLong());
        CompletableFuture<String> answer;
        try {
            sight(current, request);
            answer = current.run(call, keys.of(request.id()));
        } catch (RedisException e) {
            // A connection that is just going away refuses at once, others fail later.
            return CompletableFuture.failedFuture(e);
        }
        return answer.thenApply(json -> {
            StoreReply reply = Wire.decode(json).reply();
            learn(request.id(), reply);
            return reply;
        });
    }

    /** While a Cluster moves a slot its keys cannot be used together; that is over soon and no reason to leave Redis. */
    private static boolean isMoving(Throwable thrown) {
        return thrown instanceof RedisCommandExecutionException
                && thrown.getMessage() != null
                && thrown.getMessage().startsWith("TRYAGAIN");
    }

    /** Decides in this process. What must be shared is refused instead. */
    private CompletionStage<StoreReply> locally(StoreRequest request, @Nullable Throwable cause) {
        if (request.command().administrative()) {
            String why = cause == null ? status.detail() : describe(cause);
            return CompletableFuture.failedFuture(new StoreUnavailableException(
                    "Breaker '" + request.id() + "' was not changed, because Redis cannot be reached: " + why, cause));
        }
        return local.execute(request);
    }

    private void learn(String id, StoreReply reply) {
        time.seen(reply.light().stamp());
        shared.learn(id, reply);
    }

    /** Notes that this breaker exists, for listings; before the command itself, so that who reads afresh finds both. */
    private void sight(Link current, StoreRequest request) {
        StoreCommand command = request.command();
        if (command instanceof StoreCommand.Forget) {
            sighted.invalidate(request.id());
            current.commands().zrem(keys.breakers(), request.id());
        } else if (!(command instanceof StoreCommand.Read || command instanceof StoreCommand.Clear)
                && sighted.asMap().putIfAbsent(request.id(), true) == null) {
            current.commands().zadd(keys.breakers(), time.micros() / 1000.0, request.id());
        }
    }

    @Override
    public CompletionStage<Set<String>> known() {
        Link current = link;
        if (current == null) {
            return local.known();
        }
        return current.commands()
                .zrange(keys.breakers(), 0, -1)
                .toCompletableFuture()
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .<CompletionStage<Set<String>>>handle((ids, thrown) ->
                        thrown == null ? CompletableFuture.completedFuture(new TreeSet<>(ids)) : local.known())
                .thenCompose(ids -> ids);
    }

    private void received(String json) {
        Wire.Message message;
        try {
            message = Wire.decode(json);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "A message on " + keys.channel() + " cannot be understood: " + json, e);
            return;
        }
        for (StoreObserver observer : observers) {
            StoreObserver.Active active = observer.active(message.id());
            if (active != null) {
                learn(message.id(), message.reply());
                observer.changed(message.id(), message.reply());
            }
        }
    }

    private synchronized void goDown(Link broken, @Nullable StoreRequest request, Throwable cause) {
        if (link != broken) {
            return;
        }
        MemoryBreakerStore alone = new MemoryBreakerStore(time::micros);
        for (StoreObserver observer : observers) {
            observer.noteworthy().forEach(alone::seed);
            alone.subscribe(observer);
        }
        failedRequest = request;
        local = alone;
        status = new StoreStatus(false, Instant.now(), describe(cause));
        link = null;
        broken.close();
        warn(status.detail());
        observers.forEach(observer -> observer.statusChanged(status));
        inBackground(this::look);
    }

    private static void warn(String why) {
        LOG.log(Level.WARNING, "Redis cannot be reached; breakers go on in this process until it can: {0}", why);
    }

    private static String describe(Throwable cause) {
        String message = cause.getMessage();
        return cause.getClass().getSimpleName() + (message == null ? "" : ": " + message);
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
        if (closed || link != null) {
            return;
        }
        Link fresh = null;
        try {
            fresh = Link.open(connector, keys.channel(), this::received, () -> inBackground(this::renewSubscription), PATIENCE);
            check(fresh);
        } catch (RuntimeException e) {
            if (fresh != null) {
                fresh.close();
            }
            status = new StoreStatus(false, status.since(), describe(Link.unwrap(e)));
            return;
        }
        Link working = fresh;
        Duration outage = Duration.between(status.since(), Instant.now());
        boolean firstTime = !time.known();
        synchronized (this) {
            if (closed) {
                working.close();
                return;
            }
            status = new StoreStatus(true, Instant.now(), "connected");
            link = working;
        }
        working.onDisconnect(() -> goDown(working, null, new IllegalStateException("the connection was closed")));
        LOG.log(firstTime ? Level.DEBUG : Level.INFO, "Redis is there after {0}ms; breakers are shared", outage.toMillis());
        observers.forEach(observer -> observer.statusChanged(status));
        readAfresh(working);
        local = subscribed(new MemoryBreakerStore(time::micros));
    }

    private MemoryBreakerStore subscribed(MemoryBreakerStore store) {
        observers.forEach(store::subscribe);
        return store;
    }

    /** Redis is there when it can be written to, and when what failed works again. */
    private void check(Link fresh) {
        prune(fresh);
        StoreRequest failed = failedRequest;
        if (failed != null) {
            StoreRequest read = new StoreRequest(failed.id(), failed.instance(), failed.settings(), new StoreCommand.Read(false));
            Link.await(send(fresh, read), PATIENCE);
        }
        failedRequest = null;
    }

    private void prune(Link current) {
        double oldest = (time.micros() / 1000.0) - KEEP_SIGHTED.toMillis();
        Link.await(current.commands().zremrangebyscore(keys.breakers(), Range.create(0.0, oldest)), PATIENCE);
    }

    /**
     * Reads what may have changed unheard: every breaker here that Redis knows or that is not simply green. A light that Redis
     * has lost is put back with what remains of its time.
     */
    private void readAfresh(Link current) {
        try {
            sighted.invalidateAll();
            List<String> known = Link.await(current.commands().zrange(keys.breakers(), 0, -1), PATIENCE);
            for (StoreObserver observer : observers) {
                Map<String, StoreObserver.Active> wanted = new LinkedHashMap<>();
                observer.noteworthy().forEach(active -> wanted.put(active.id(), active));
                for (String id : known) {
                    StoreObserver.Active active = observer.active(id);
                    if (active != null) {
                        wanted.put(id, active);
                    }
                }
                wanted.values().forEach(active -> {
                    Map<String, String> overrides = shared.overrides(active.id());
                    Light lost = shared.remaining(active.id());
                    StoreCommand command =
                            lost == null && overrides.isEmpty()
                                    ? new StoreCommand.Read(false)
                                    : new StoreCommand.Restore(lost == null ? Light.GREEN : lost, overrides);
                    StoreRequest request = new StoreRequest(active.id(), observer.instance(), active.settings(), command);
                    send(current, request)
                            .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                            .whenComplete((reply, thrown) -> {
                                if (thrown == null) {
                                    observer.resynchronised(active.id(), reply);
                                } else if (!isMoving(Link.unwrap(thrown))) {
                                    goDown(current, request, Link.unwrap(thrown));
                                }
                            });
                });
            }
        } catch (RuntimeException e) {
            goDown(current, null, Link.unwrap(e));
        }
    }

    /** The subscription broke while commands still work: subscribe again and catch up. */
    private void renewSubscription() {
        Link current = link;
        if (current == null || closed) {
            return;
        }
        try {
            current.resubscribe(PATIENCE);
            readAfresh(current);
        } catch (RuntimeException e) {
            goDown(current, null, Link.unwrap(e));
        }
    }

    /** Finds out in time that Redis hangs, that the subscription is dead, or that Redis has lost its memory. */
    private void beat() {
        Link current = link;
        if (current == null) {
            look();
            return;
        }
        try {
            CompletionStage<Long> count = current.commands().zcard(keys.breakers());
            CompletionStage<String> heard = current.pingSubscription();
            long remembered = Link.await(count, PATIENCE);
            if (remembered == 0 && !shared.isEmpty()) {
                readAfresh(current);
            }
            try {
                Link.await(heard, PATIENCE);
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "The subscription does not answer", e);
                renewSubscription();
            }
        } catch (RuntimeException e) {
            goDown(current, null, Link.unwrap(e));
        }
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
        background.shutdownNow();
        if (current != null) {
            Link.await(current.close(), PATIENCE);
        }
    }

    /** Options of a store; everything has a default. */
    public static final class Builder {

        private final AbstractRedisClient client;
        private String keyPrefix = "stoplight";
        private Duration timeout = Duration.ofMillis(100);
        private Duration heartbeat = Duration.ofSeconds(1);
        private LongSupplier clock = () -> 0;

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

        /** Connects; when Redis is not there the store starts anyway, works locally and keeps looking. */
        public RedisBreakerStore connect() {
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
