package dev.stoplight;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where breakers come from. A service has one; instances whose registries use the same store see the same lights.
 *
 * <p>Closing it sends what was counted, and closes the store once no other registry uses it.
 */
public final class BreakerRegistry implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(BreakerRegistry.class.getName());

    final BreakerStore store;
    final Ticker ticker;
    final long timeoutNanos;

    private final Function<String, BreakerSettings> settings;
    private final List<BreakerListener> listeners;
    private final String instance;
    private final Map<String, Breaker> named = new ConcurrentHashMap<>();

    /** The keyed breakers in use. */
    private final Cache<Key, Breaker> keyed;

    /** Those and any that someone still holds: a key never has two breakers here, and who holds one hears of changes. */
    private final Cache<Key, Breaker> held = Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

    private final Runnable unsubscribe;
    private final String idPrefix = Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), Character.MAX_RADIX) + "-";

    /** Starts where all that follow have the same length, so that the order of ids as text is that of the calls. */
    private final AtomicLong ids = new AtomicLong(Long.parseLong("10000000", Character.MAX_RADIX));
    private final @Nullable ScheduledExecutorService flusher;
    private final Executor events;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether any key has ever counted calls for the rate or the latency rule. */
    private volatile boolean keysCount;

    private record Key(Breaker ofName, String key) {}

    /** The probes that run from begin to end on one thread. */
    final Set<Probe> probing = ConcurrentHashMap.newKeySet();

    record Probe(Breaker breaker, Thread thread) {}

    private BreakerRegistry(Builder builder) {
        this.store = builder.store == null ? new MemoryBreakerStore() : builder.store;
        this.ticker = builder.ticker;
        this.timeoutNanos = store.timeout().toNanos();
        BreakerSettings defaults = builder.defaults;
        Function<String, BreakerSettings> perName = builder.settings;
        this.settings = name -> defaults.overriddenBy(perName.apply(name));
        this.listeners = List.copyOf(builder.listeners);
        this.instance = builder.instance == null ? defaultInstance() : builder.instance;
        this.keyed = Caffeine.newBuilder()
                .maximumSize(builder.maxKeys)
                .expireAfterAccess(builder.maxIdle)
                .ticker(ticker::nanos)
                .executor(Runnable::run)
                .build();
        this.events = store.immediate() ? Runnable::run : inOrder();
        this.flusher = startFlusher(builder.flushInterval);
        this.unsubscribe = store.subscribe(new Observer());
    }

    /** A registry for one process. */
    public static BreakerRegistry inMemory() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The breaker of that name; the first use creates it. */
    public Breaker breaker(String name) {
        Breaker known = named.get(name);
        if (known == null) {
            return create(name, BreakerSettings.builtIn());
        }
        known.revive();
        return known;
    }

    /** As {@link #breaker(String)}; {@code settings} hold over the registry's defaults if this use creates it. */
    public Breaker breaker(String name, BreakerSettings settings) {
        Breaker known = named.get(name);
        return known == null ? create(name, settings) : breaker(name);
    }

    /** The breaker of that key: one of many with this name's settings, each with a light of its own. */
    public Breaker breaker(String name, String key) {
        return breaker(breaker(name), key);
    }

    /** As {@link #breaker(String, String)} for a name that is at hand. */
    public Breaker breaker(Breaker ofName, String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key of breaker '" + ofName.name() + "' must not be empty");
        }
        ofName.revive();
        Key cacheKey = new Key(ofName, key);
        Breaker known = keyed.getIfPresent(cacheKey);
        if (known != null) {
            return known;
        }
        return isText(key) ? use(cacheKey) : breaker(ofName, toText(key));
    }

    private Breaker use(Key cacheKey) {
        Breaker fresh = new Breaker(cacheKey.ofName, cacheKey.key);
        Breaker known = held.asMap().putIfAbsent(cacheKey, fresh);
        Breaker used = known == null ? fresh : known;
        keyed.put(cacheKey, used);
        if (known == null) {
            fresh.begin();
        } else {
            known.revive();
        }
        return used;
    }

    private Breaker create(String name, BreakerSettings explicit) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of a breaker must not be blank, was '" + name + "'");
        }
        if (!isText(name)) {
            return breaker(toText(name), explicit);
        }
        Breaker fresh = new Breaker(this, name, settings.apply(name).overriddenBy(explicit));
        Breaker known = named.putIfAbsent(name, fresh);
        if (known != null) {
            return known;
        }
        fresh.begin();
        publish(new BreakerEvent.Created(name));
        return fresh;
    }

    /** Half a surrogate pair cannot be sent anywhere; every store would make something else of it. */
    private static boolean isText(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static String toText(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** The breaker of that name if it is in use on this instance; never creates one. */
    public Optional<Breaker> find(String name) {
        return Optional.ofNullable(named.get(name)).filter(breaker -> !breaker.isForgotten());
    }

    /** The breaker of that name and key if it is in use on this instance; never creates one. */
    public Optional<Breaker> find(String name, String key) {
        Breaker ofName = named.get(name);
        return ofName == null ? Optional.empty() : Optional.ofNullable(keyed.policy().getIfPresentQuietly(new Key(ofName, key)));
    }

    /** The breaker of that {@linkplain Breaker#id() id} if it is in use on this instance; never creates one. */
    public Optional<Breaker> findById(String id) {
        Optional<Breaker> exact = find(id);
        for (int colon = id.indexOf(':'); exact.isEmpty() && colon > 0; colon = id.indexOf(':', colon + 1)) {
            exact = find(id.substring(0, colon), id.substring(colon + 1));
        }
        return exact;
    }

    /**
     * The breaker of that {@linkplain Breaker#id() id}, to look at and to change: the one in use on this instance, or else one
     * that is not kept, so that asking for it creates nothing. {@link #known} tells which ids are worth asking for.
     */
    public Breaker handle(String id) {
        return findById(id).orElseGet(() -> {
            Breaker unused = unused(id);
            unused.begin();
            return unused;
        });
    }

    private Breaker unused(String id) {
        for (int colon = id.indexOf(':'); colon > 0; colon = id.indexOf(':', colon + 1)) {
            Breaker ofName = named.get(id.substring(0, colon));
            if (ofName != null && colon + 1 < id.length()) {
                return new Breaker(ofName, id.substring(colon + 1));
            }
        }
        return new Breaker(this, id, settings.apply(id));
    }

    /** The breakers in use on this instance, in no particular order. */
    public Stream<Breaker> breakers() {
        return Stream.concat(named.values().stream(), keyed.asMap().values().stream()).filter(breaker -> !breaker.isForgotten());
    }

    /** The ids of the breakers of which the store knows something, from any instance. */
    public CompletionStage<Set<String>> known() {
        return known(Integer.MAX_VALUE);
    }

    /** As {@link #known()}, but at most so many, the latest first where the store can tell. */
    public CompletionStage<Set<String>> known(int most) {
        return Breaker.offTheStoresThread(store.known(most).toCompletableFuture());
    }

    /** This instance's id, as it stands in failures and transitions. */
    public String instance() {
        return instance;
    }

    /** A word for the kind of store: {@code memory}, {@code redis}. */
    public String storeType() {
        return store.type();
    }

    /** Whether the store can be reached. */
    public StoreStatus storeStatus() {
        return store.status();
    }

    /** Sends the calls that were counted since the last time; otherwise that happens every flush interval. */
    public void flush() {
        counting().forEach(Breaker::flush);
    }

    /** The breakers that may have counted something: there may be very many keys, and seldom have they. */
    private Stream<Breaker> counting() {
        return keysCount ? all() : named.values().stream();
    }

    void keysCount() {
        keysCount = true;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (flusher != null) {
            flusher.shutdownNow();
        }
        CompletableFuture.allOf(counting().map(Breaker::flush).toArray(CompletableFuture<?>[]::new)).join();
        unsubscribe.run();
    }

    CompletionStage<StoreReply> execute(Breaker breaker, StoreCommand command) {
        return store.execute(new StoreRequest(breaker.id(), instance, breaker.configured(), command));
    }

    /** An id that no other call or probe in the fleet has. */
    String nextId() {
        return idPrefix + Long.toString(ids.incrementAndGet(), Character.MAX_RADIX);
    }

    Stream<Breaker> keysOf(Breaker ofName) {
        return held.asMap().values().stream().filter(breaker -> breaker.name().equals(ofName.name()));
    }

    private Stream<Breaker> all() {
        return Stream.concat(named.values().stream(), held.asMap().values().stream()).filter(breaker -> !breaker.isForgotten());
    }

    void forgotten(Breaker breaker) {
        String key = breaker.key();
        if (key != null) {
            Breaker ofName = named.get(breaker.name());
            if (ofName != null) {
                keyed.asMap().remove(new Key(ofName, key), breaker);
            }
        }
        publish(new BreakerEvent.Forgotten(breaker.name(), key));
    }

    void revived(Breaker breaker) {
        if (breaker.key() == null) {
            publish(new BreakerEvent.Created(breaker.name()));
        }
    }

    void publish(BreakerEvent event) {
        if (!listeners.isEmpty()) {
            events.execute(() -> tell(event));
        }
    }

    private void tell(BreakerEvent event) {
        for (BreakerListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException | Error e) {
                // On the thread of a call, which must not get to feel it.
                LOG.log(Level.WARNING, "A listener failed on " + event, e);
            }
        }
    }

    /** A store's own thread must stay free for answers, so listeners get one of theirs; it ends when there is nothing to tell. */
    private static Executor inOrder() {
        return new ThreadPoolExecutor(0, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> daemon(task, "stoplight-events"));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private @Nullable ScheduledExecutorService startFlusher(Duration interval) {
        if (interval.isZero()) {
            return null;
        }
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "stoplight-flush"));
        executor.scheduleWithFixedDelay(this::flushQuietly, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
        return executor;
    }

    private void flushQuietly() {
        try {
            flush();
            // Otherwise keys would stay until another one is used.
            keyed.cleanUp();
            held.cleanUp();
        } catch (RuntimeException | Error e) {
            // Whatever it is, the next flush must come.
            LOG.log(Level.WARNING, "Counted calls could not be sent", e);
        }
    }

    private static String defaultInstance() {
        String suffix = Integer.toString(ThreadLocalRandom.current().nextInt(Character.MAX_RADIX * Character.MAX_RADIX * 1000), Character.MAX_RADIX);
        try {
            return InetAddress.getLocalHost().getHostName() + "-" + suffix;
        } catch (UnknownHostException e) {
            return "unknown-host-" + suffix;
        }
    }

    /** What the store may see of this registry. */
    private final class Observer implements StoreObserver {

        private volatile @Nullable Instant downSince;

        @Override
        public String instance() {
            return instance;
        }

        @Override
        public void changed(String id, StoreReply change) {
            withId(id).forEach(breaker -> breaker.changed(change));
        }

        @Override
        public void resynchronised(String id, StoreReply current) {
            withId(id).forEach(breaker -> breaker.apply(current, true));
        }

        /** Seldom more than one: the breaker {@code a:b} and the key {@code b} of {@code a} are one in the store. */
        private List<Breaker> withId(String id) {
            List<Breaker> found = new ArrayList<>(1);
            Breaker exact = named.get(id);
            if (exact != null) {
                found.add(exact);
            }
            for (int colon = id.indexOf(':'); colon > 0; colon = id.indexOf(':', colon + 1)) {
                Breaker ofName = named.get(id.substring(0, colon));
                Breaker key = ofName == null ? null : held.getIfPresent(new Key(ofName, id.substring(colon + 1)));
                if (key != null) {
                    found.add(key);
                }
            }
            return found;
        }

        @Override
        public @Nullable Active active(String id) {
            List<Breaker> found = withId(id);
            return found.isEmpty() ? null : found.get(0).active();
        }

        @Override
        public Collection<Active> noteworthy() {
            return all().filter(Breaker::isNoteworthy).map(Breaker::active).toList();
        }

        @Override
        public void statusChanged(StoreStatus status) {
            Instant since = downSince;
            if (status.up()) {
                downSince = null;
                publish(new BreakerEvent.StoreUp(status, since == null ? Duration.ZERO : Duration.between(since, status.since())));
            } else {
                downSince = status.since();
                publish(new BreakerEvent.StoreDown(status));
            }
        }

        @Override
        public void commandDone(String command, boolean answered, long nanos) {
            for (BreakerListener listener : listeners) {
                try {
                    listener.onStoreCommand(command, answered, nanos);
                } catch (RuntimeException | Error e) {
                    LOG.log(Level.WARNING, "A listener failed on the command " + command, e);
                }
            }
        }
    }

    /** Collects what a registry needs; everything has a default. */
    public static final class Builder {

        private @Nullable BreakerStore store;
        private BreakerSettings defaults = BreakerSettings.builtIn();
        private Function<String, BreakerSettings> settings = name -> BreakerSettings.builtIn();
        private final List<BreakerListener> listeners = new ArrayList<>();
        private @Nullable String instance;
        private Ticker ticker = Ticker.system();
        private Duration flushInterval = Duration.ofMillis(100);
        private Duration maxIdle = Duration.ofMinutes(10);
        private long maxKeys = 100_000;

        private Builder() {}

        /** Where the lights are kept; by default in this process. */
        public Builder store(BreakerStore store) {
            this.store = store;
            return this;
        }

        /** Settings of every breaker. */
        public Builder defaults(BreakerSettings defaults) {
            this.defaults = defaults;
            return this;
        }

        /** Settings by name, over the defaults; asked once for each name. */
        public Builder settings(Function<String, BreakerSettings> settings) {
            this.settings = settings;
            return this;
        }

        /** Adds a listener. */
        public Builder listener(BreakerListener listener) {
            listeners.add(listener);
            return this;
        }

        /** This instance's id; by default the host name and a random suffix. */
        public Builder instance(String instance) {
            if (instance.isBlank()) {
                throw new IllegalArgumentException("instance must not be blank, was '" + instance + "'");
            }
            this.instance = instance;
            return this;
        }

        public Builder ticker(Ticker ticker) {
            this.ticker = ticker;
            return this;
        }

        /** How often counted calls are sent; zero leaves it to {@link BreakerRegistry#flush}. */
        public Builder flushInterval(Duration interval) {
            if (interval.isNegative() || (!interval.isZero() && interval.toMillis() < 1)) {
                throw new IllegalArgumentException("flushInterval must be 0 or at least 1ms, was " + interval);
            }
            this.flushInterval = interval;
            return this;
        }

        /** A keyed breaker unused for so long is forgotten on this instance. */
        public Builder maxIdle(Duration maxIdle) {
            if (maxIdle.isNegative() || maxIdle.isZero()) {
                throw new IllegalArgumentException("maxIdle must be positive, was " + maxIdle);
            }
            this.maxIdle = maxIdle;
            return this;
        }

        /** Most keyed breakers that this instance remembers at once. */
        public Builder maxKeys(long maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
            }
            this.maxKeys = maxKeys;
            return this;
        }

        public BreakerRegistry build() {
            return new BreakerRegistry(this);
        }
    }
}
