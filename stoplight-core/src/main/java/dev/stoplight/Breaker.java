package dev.stoplight;

import dev.stoplight.store.Calls;
import dev.stoplight.store.Failure;
import dev.stoplight.store.Light;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Protects calls to one dependency. Get one from a {@link BreakerRegistry}.
 *
 * <p>While the light is green a call reads one volatile field, before and after it runs, and counts itself, no more.
 */
public final class Breaker {

    static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private static final System.Logger LOG = System.getLogger(Breaker.class.getName());
    private static final AtomicReferenceFieldUpdater<Breaker, View> VIEW =
            AtomicReferenceFieldUpdater.newUpdater(Breaker.class, View.class, "view");
    private static final AtomicIntegerFieldUpdater<Breaker> ASKING = AtomicIntegerFieldUpdater.newUpdater(Breaker.class, "asking");

    private static final int LONGEST_MESSAGE = 500;
    private static final long UNTIMED = Long.MIN_VALUE;

    private final BreakerRegistry registry;
    private final String name;
    private final @Nullable String key;
    private final @Nullable Breaker ofName;
    private final BreakerSettings own;
    private final CallCounters calls;

    private volatile View view;

    /** Questions for a probe that are under way; more than there are probes would be pointless. */
    private volatile int asking;

    /** The first reading of the store; null once it is done. */
    private volatile @Nullable CompletableFuture<Void> firstRead = new CompletableFuture<>();

    /** What the keys of this name share; null until there are any. */
    private volatile @Nullable Family family;

    private @Nullable Announcements announced;

    Breaker(BreakerRegistry registry, String name, BreakerSettings own) {
        this.registry = registry;
        this.name = name;
        this.key = null;
        this.ofName = null;
        this.own = own;
        this.calls = new CallCounters(null);
        this.view = View.unknown(own);
    }

    Breaker(Breaker ofName, String key) {
        this.registry = ofName.registry;
        this.name = ofName.name;
        this.key = key;
        this.ofName = ofName;
        this.own = ofName.own;
        this.calls = new CallCounters(ofName.family().calls);
        this.view = ofName.family().unknown;
    }

    /** Asks the store for the first time; until it has answered, calls wait for it. */
    void begin() {
        CompletableFuture<Void> reading = firstRead;
        if (reading != null) {
            begin(reading);
        }
    }

    private void begin(CompletableFuture<Void> reading) {
        try {
            send(new StoreCommand.Read(false)).whenComplete((reply, thrown) -> {
                try {
                    // A breaker that was forgotten and revived in the meantime reads anew.
                    if (firstRead == reading) {
                        applyReply(reply);
                    }
                } finally {
                    ended(reading);
                }
            });
        } catch (Error e) {
            // No room on the stack, say. Who waits must not wait for ever; the next call reads again.
            ended(reading);
            throw e;
        }
    }

    private void ended(CompletableFuture<Void> reading) {
        synchronized (this) {
            if (firstRead == reading) {
                firstRead = null;
            }
        }
        reading.complete(null);
    }

    /** What to wait for before the light is known. */
    private CompletableFuture<Void> reading() {
        CompletableFuture<Void> begun;
        synchronized (this) {
            CompletableFuture<Void> underWay = firstRead;
            if (underWay != null || view.phase != View.Phase.UNKNOWN) {
                return underWay == null ? DONE : underWay;
            }
            begun = new CompletableFuture<>();
            firstRead = begun;
        }
        begin(begun);
        return begun;
    }

    public String name() {
        return name;
    }

    /** The key of a keyed breaker, or null. */
    public @Nullable String key() {
        return key;
    }

    /** The name, or {@code name:key}; under this the store knows it. */
    public String id() {
        return key == null ? name : name + ":" + key;
    }

    /** Runs the call, or throws {@link CircuitOpenException} without running it. Whatever the call throws reaches the caller. */
    public <T extends @Nullable Object> T call(Callable<T> callable) throws Exception {
        View seen = view;
        Permit permit = seen.runs ? null : enter();
        long start = seen.timed ? registry.ticker.nanos() : UNTIMED;
        T result;
        try {
            result = callable.call();
        } catch (Throwable thrown) {
            threw(seen, permit, start, thrown);
            throw thrown;
        }
        returned(seen, permit, start);
        return result;
    }

    /** As {@link #call}, for a call without checked exceptions. */
    public <T extends @Nullable Object> T supply(Supplier<T> supplier) {
        View seen = view;
        Permit permit = seen.runs ? null : enter();
        long start = seen.timed ? registry.ticker.nanos() : UNTIMED;
        T result;
        try {
            result = supplier.get();
        } catch (Throwable thrown) {
            threw(seen, permit, start, thrown);
            throw thrown;
        }
        returned(seen, permit, start);
        return result;
    }

    /** As {@link #call}, for a call without a result. */
    public void run(Runnable runnable) {
        View seen = view;
        Permit permit = seen.runs ? null : enter();
        long start = seen.timed ? registry.ticker.nanos() : UNTIMED;
        try {
            runnable.run();
        } catch (Throwable thrown) {
            threw(seen, permit, start, thrown);
            throw thrown;
        }
        returned(seen, permit, start);
    }

    /** Leave for a call that runs on this thread. Within a probe of this breaker it is a part of the probe and needs no other one. */
    private Permit enter() {
        View seen = view;
        boolean yellow = seen.light.state() == BreakerState.HALF_OPEN && seen.light.lock() == null;
        if (yellow && registry.probing.contains(new BreakerRegistry.Probe(this, Thread.currentThread()))) {
            return new Permit(this, seen, null, UNTIMED);
        }
        Permit permit = acquire();
        if (permit.isProbe()) {
            registry.probing.add(new BreakerRegistry.Probe(this, Thread.currentThread()));
        }
        return permit;
    }

    private void leave(Permit permit) {
        if (permit.isProbe()) {
            registry.probing.remove(new BreakerRegistry.Probe(this, Thread.currentThread()));
        }
    }

    private void returned(View seen, @Nullable Permit permit, long start) {
        // A light that changed while the call ran may want to hear of the success, so the field is read once more.
        if (seen.plain && view == seen) {
            calls.succeeded();
        } else if (permit != null) {
            leave(permit);
            permit.succeed();
        } else {
            await(succeeded(seen, null, start), 0);
        }
    }

    private void threw(View seen, @Nullable Permit permit, long start, Throwable thrown) {
        if (permit != null) {
            leave(permit);
            permit.fail(thrown);
        } else {
            await(failed(seen, null, start, thrown), 0);
        }
    }

    /**
     * Waits for the store, whose answers come within its time limit; a call that has waited before, only for what is left of it.
     * Not by {@code join}: in a fork-join pool that runs whatever else is to be done there.
     *
     * @return whether the answer is there; otherwise what follows from it follows later
     */
    boolean await(CompletableFuture<?> answer, long waitedNanos) {
        if (answer.isDone()) {
            return true;
        }
        CountDownLatch done = new CountDownLatch(1);
        answer.whenComplete((value, thrown) -> done.countDown());
        long deadline = System.nanoTime() + (waitedNanos == 0 ? Long.MAX_VALUE : registry.timeoutNanos - waitedNanos);
        boolean interrupted = false;
        while (true) {
            try {
                boolean there = done.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return there;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /**
     * Starts an asynchronous call; it is recorded when it completes, and no thread is ever blocked for it.
     *
     * <p>A rejection, or an exception thrown while starting, arrives through the returned stage. Cancelling the returned
     * future cancels the call and counts as neither success nor failure.
     */
    public <T extends @Nullable Object> CompletionStage<T> supplyAsync(Supplier<? extends CompletionStage<T>> supplier) {
        AsyncCall<T> call = new AsyncCall<>();
        acquireAsync().whenComplete((permit, rejection) -> {
            if (rejection != null) {
                call.completeExceptionally(unwrap(rejection));
            } else {
                call.start(permit, supplier);
            }
        });
        return call;
    }

    /**
     * Leave for one call.
     *
     * @throws CircuitOpenException when the light does not allow it
     */
    public Permit acquire() {
        long waited = 0;
        for (int attempt = 0; attempt < 3; attempt++) {
            View seen = view;
            Permit permit = decide(seen);
            if (permit == null) {
                long start = System.nanoTime();
                CompletableFuture<@Nullable Permit> answer = ask(seen);
                if (!await(answer, waited)) {
                    answer.thenAccept(Breaker::release);
                    break;
                }
                permit = answer.join();
                waited += System.nanoTime() - start;
            }
            if (permit != null) {
                return permit.waited(waited);
            }
        }
        return undecided();
    }

    private static void release(@Nullable Permit unwanted) {
        if (unwanted != null) {
            unwanted.release();
        }
    }

    /** As {@link #acquire} without blocking; a rejection completes the stage with {@link CircuitOpenException}. */
    public CompletionStage<Permit> acquireAsync() {
        CompletableFuture<Permit> wanted = new CompletableFuture<>();
        acquireAsync(3).whenComplete((permit, rejection) -> {
            if (rejection != null) {
                wanted.completeExceptionally(unwrap(rejection));
            } else if (!wanted.complete(permit)) {
                // It was cancelled meanwhile.
                permit.release();
            }
        });
        return wanted;
    }

    private CompletionStage<Permit> acquireAsync(int attempts) {
        View seen = view;
        CompletableFuture<@Nullable Permit> answer;
        try {
            Permit permit = attempts == 0 ? undecided() : decide(seen);
            if (permit != null) {
                return CompletableFuture.completedFuture(permit);
            }
            answer = ask(seen);
        } catch (CircuitOpenException rejected) {
            return CompletableFuture.failedFuture(rejected);
        }
        return offTheStoresThread(answer)
                .thenCompose(granted -> granted != null ? CompletableFuture.completedFuture(granted) : acquireAsync(attempts - 1));
    }

    /** The view kept changing. Only a light that is known not to be green stops a call. */
    private Permit undecided() {
        View seen = view;
        if (seen.phase == View.Phase.LIVE && !seen.runs) {
            throw rejection(seen);
        }
        return new Permit(this, seen, null, seen.timed ? registry.ticker.nanos() : UNTIMED);
    }

    /** Decides from the view alone: a permit, a rejection, or null when the store must be asked. */
    private @Nullable Permit decide(View seen) {
        if (seen.runs) {
            return new Permit(this, seen, null, seen.timed ? registry.ticker.nanos() : UNTIMED);
        }
        if (seen.phase == View.Phase.LIVE) {
            long now = registry.ticker.nanos();
            if (seen.lockedOpen() || seen.deadlineNanos - now > 0) {
                throw rejection(seen, now);
            }
        }
        return null;
    }

    private CircuitOpenException rejection(View seen) {
        return rejection(seen, registry.ticker.nanos());
    }

    /** A red light must cost next to nothing, and reading the clock is most of it: so it is read once. */
    private CircuitOpenException rejection(View seen, long now) {
        calls.rejected();
        long retryAfter = seen.lockedOpen() ? seen.settings.coolOff().toNanos() : seen.remainingNanos(now);
        if (seen.state(now) == BreakerState.OPEN) {
            return new CircuitOpenException(id(), BreakerState.OPEN, retryAfter);
        }
        return new CircuitOpenException(id(), BreakerState.HALF_OPEN, retryAfter == 0 ? View.HOLD_OFF_NANOS : retryAfter);
    }

    /** Asks the store; null means that the view has changed and says what to do. */
    private CompletableFuture<@Nullable Permit> ask(View seen) {
        switch (seen.phase) {
            case UNKNOWN -> {
                return reading().thenApply(done -> null);
            }
            case FORGOTTEN -> {
                revive();
                return nothing();
            }
            case LIVE -> {
                if (ASKING.getAndIncrement(this) >= seen.settings.halfOpenCalls()) {
                    ASKING.decrementAndGet(this);
                    throw rejection(seen);
                }
                CompletableFuture<StoreReply> answer;
                String lease = registry.nextId();
                try {
                    answer = send(new StoreCommand.Acquire(lease));
                } catch (Error e) {
                    ASKING.decrementAndGet(this);
                    throw e;
                }
                return answer.handle((reply, thrown) -> {
                    ASKING.decrementAndGet(this);
                    if (reply == null) {
                        return null;
                    }
                    View after = applyReply(reply);
                    return reply.accepted() ? new Permit(this, probing(after, reply.light()), lease, registry.ticker.nanos()) : null;
                });
            }
        }
        throw new IllegalStateException("phase " + seen.phase);
    }

    /** The view under which a probe runs: that of the epoch in which it was granted, even if the light has moved on since. */
    private View probing(View after, Light granted) {
        return after.light.epoch() == granted.epoch()
                ? after
                : after.next(granted, null, configured(), registry.ticker, registry.store.immediate());
    }

    /**
     * What follows is the caller's code, which may take its time. A store that answers later does so on a thread of its own,
     * which must stay free for the next answer.
     */
    static <T extends @Nullable Object> CompletableFuture<T> offTheStoresThread(CompletableFuture<T> answer) {
        return answer.isDone() ? answer : answer.whenCompleteAsync((value, thrown) -> {});
    }

    private static CompletableFuture<@Nullable Permit> nothing() {
        return CompletableFuture.completedFuture(null);
    }

    /** Accounts for a call that returned. */
    CompletableFuture<Void> succeeded(View began, @Nullable String lease, long start) {
        View now = view;
        if (began.passes) {
            calls.succeeded();
            return DONE;
        }
        long nanos = start == UNTIMED ? 0 : registry.ticker.nanos() - start;
        if (nanos >= now.slowNanos) {
            calls.slow();
            return report(began, lease, new Failure(registry.nextId(), "SlowCall", null, nanos / 1000));
        }
        calls.succeeded();
        if (lease != null) {
            return settle(began, lease, StoreCommand.Verdict.SUCCESS, null);
        }
        clearStreak(began);
        if (began.window != null) {
            began.window.add(nanos);
            if (now.eager && now.light.epoch() == began.light.epoch()) {
                CompletableFuture<Void> sent = sendCounted(began);
                return registry.store.immediate() ? sent : DONE;
            }
        }
        return DONE;
    }

    /** Only who wins the swap sends it: however many calls succeed, one command clears the streak. Nobody waits for it. */
    private void clearStreak(View began) {
        View seen = view;
        while (seen.dirty && seen.light.epoch() == began.light.epoch()) {
            if (VIEW.compareAndSet(this, seen, seen.cleared(configured(), registry.store.immediate()))) {
                send(new StoreCommand.Clear(began.light.epoch())).thenAccept(this::applyReply);
                return;
            }
            seen = view;
        }
    }

    /** Accounts for a call that threw. */
    CompletableFuture<Void> failed(View began, @Nullable String lease, long start, Throwable thrown) {
        View now = view;
        if (!now.settings.records(thrown) || isOwnRejection(thrown)) {
            calls.ignored();
            return lease == null ? DONE : settle(began, lease, StoreCommand.Verdict.RELEASED, null);
        }
        calls.failed();
        if (began.passes) {
            return DONE;
        }
        long nanos = start == UNTIMED ? 0 : registry.ticker.nanos() - start;
        String message = now.settings.recordMessages() ? message(thrown) : null;
        return report(began, lease, new Failure(registry.nextId(), thrown.getClass().getName(), message, nanos / 1000));
    }

    /** Of a call within this one; it says nothing of the dependency that is not known already. */
    private boolean isOwnRejection(Throwable thrown) {
        return thrown instanceof CircuitOpenException rejection && rejection.name().equals(id());
    }

    void released(View began, @Nullable String lease) {
        if (lease != null) {
            settle(began, lease, StoreCommand.Verdict.RELEASED, null);
        }
    }

    private CompletableFuture<Void> report(View began, @Nullable String lease, Failure failure) {
        if (lease != null) {
            return settle(began, lease, StoreCommand.Verdict.FAILURE, failure);
        }
        View now = view;
        if (now.light.epoch() > began.light.epoch() || now.phase == View.Phase.FORGOTTEN) {
            // The light has changed since the call began, so the store would ignore it: spare it the flood that follows a trip.
            return DONE;
        }
        Calls counted = began.window == null ? Calls.NONE : began.window.drain();
        return send(new StoreCommand.Record(began.light.epoch(), failure, counted)).thenAccept(this::applyReply);
    }

    private CompletableFuture<Void> settle(View began, String lease, StoreCommand.Verdict verdict, @Nullable Failure failure) {
        return send(new StoreCommand.Settle(began.light.epoch(), lease, verdict, failure)).thenAccept(this::applyReply);
    }

    private CompletableFuture<Void> sendCounted(View counted) {
        Calls calls = counted.window == null ? Calls.NONE : counted.window.drain();
        return calls.calls() == 0
                ? DONE
                : send(new StoreCommand.Count(counted.light.epoch(), calls)).thenAccept(this::applyReply);
    }

    /** Sends what was counted since the last time. */
    CompletableFuture<Void> flush() {
        View seen = view;
        return seen.window == null ? DONE : sendCounted(seen);
    }

    private static @Nullable String message(Throwable thrown) {
        String text;
        try {
            text = thrown.getMessage();
        } catch (RuntimeException | Error e) {
            return "(the exception's message could not be read: " + e.getClass().getName() + ")";
        }
        if (text == null || text.length() <= LONGEST_MESSAGE) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST_MESSAGE - 1)) ? LONGEST_MESSAGE - 1 : LONGEST_MESSAGE;
        return text.substring(0, end) + "…";
    }

    /** The breaker now, as the store sees it; when the store cannot be reached, as this instance sees it. */
    public BreakerSnapshot snapshot() {
        return ask().join();
    }

    /** As {@link #snapshot}, without waiting; the stage never fails. */
    public CompletionStage<BreakerSnapshot> snapshotAsync() {
        return offTheStoresThread(ask());
    }

    private CompletableFuture<BreakerSnapshot> ask() {
        // One whose first reading is under way needs no second.
        CompletableFuture<Void> reading = firstRead;
        return reading == null ? read(false).thenApply(reply -> snapshot(reply.light())) : reading.thenApply(done -> lastSeen());
    }

    /** The breaker now, with its recent past. */
    public BreakerDetails details() {
        StoreReply reply = read(true).join();
        StoreReply.Details details = reply.details();
        return details == null
                ? new BreakerDetails(snapshot(reply.light()), List.of(), List.of())
                : new BreakerDetails(snapshot(reply.light()), details.failures(), details.transitions());
    }

    private CompletableFuture<StoreReply> read(boolean details) {
        return flush().thenCompose(flushed -> {
            View before = view;
            return send(new StoreCommand.Read(details)).thenApply(reply -> {
                if (before.phase == View.Phase.LIVE) {
                    applyReply(reply);
                }
                return reply;
            });
        });
    }

    /** The breaker as this instance last saw it, without asking the store. */
    public BreakerSnapshot lastSeen() {
        View seen = view;
        long nanos = registry.ticker.nanos();
        return snapshot(seen, seen.light, seen.state(nanos), TimeUnit.NANOSECONDS.toMillis(seen.remainingNanos(nanos)));
    }

    private BreakerSnapshot snapshot(Light light) {
        return snapshot(view, light, light.state(), light.remainingMillis());
    }

    private BreakerSnapshot snapshot(View now, Light light, BreakerState state, long remainingMillis) {
        Duration retryAfter = !now.settings.enabled()
                ? Duration.ZERO
                : light.lock() == BreakerLock.OPEN ? now.settings.coolOff() : Duration.ofMillis(remainingMillis);
        return new BreakerSnapshot(
                name,
                key,
                state,
                light.lock(),
                light.failures(),
                retryAfter,
                light.sinceMillis() == 0 ? null : Instant.ofEpochMilli(light.sinceMillis()),
                light.probes(),
                now.settings);
    }

    /** The light as this instance believes it to be, without asking the store. */
    public BreakerState state() {
        return view.state(registry.ticker.nanos());
    }

    /** How calls of this breaker ended on this instance. */
    public BreakerCalls calls() {
        return calls.read();
    }

    /** How calls of this name ended on this instance, those of its keys included. */
    public BreakerCalls totalCalls() {
        BreakerCalls mine = calls.read();
        Family known = family;
        return known == null ? mine : mine.plus(known.calls.read());
    }

    /** The settings that hold now, run-time changes included. */
    public BreakerSettings settings() {
        return view.settings;
    }

    /** What was changed at run time for this breaker. */
    public BreakerSettings overrides() {
        return view.changed;
    }

    /** Locks the light on every instance until {@link #unlock}. */
    public void lock(BreakerLock lock) {
        change(new StoreCommand.Lock(lock));
    }

    /** Takes a lock off and starts afresh: closed, nothing counted. */
    public void unlock() {
        change(new StoreCommand.Lock(null));
    }

    /** Closes the light on every instance, with nothing counted; a lock stays. */
    public void reset() {
        change(new StoreCommand.Reset());
    }

    /** Changes settings on every instance, on top of what was changed before. */
    public void configure(BreakerSettings changes) {
        change(new StoreCommand.Configure(changes.toText(), false));
    }

    /** Brings back the configured settings on every instance. */
    public void clearOverrides() {
        change(new StoreCommand.Configure(Map.of(), true));
    }

    /** Removes every trace of this breaker, on every instance; its next call starts it anew. */
    public void forget() {
        change(new StoreCommand.Forget());
    }

    private void change(StoreCommand command) {
        try {
            StoreReply reply = registry.execute(this, command).toCompletableFuture().join();
            changed(reply);
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreUnavailableException unavailable) {
                throw unavailable;
            }
            throw e;
        }
    }

    private CompletableFuture<StoreReply> send(StoreCommand command) {
        CompletionStage<StoreReply> answer;
        try {
            answer = registry.execute(this, command);
        } catch (RuntimeException | Error e) {
            answer = CompletableFuture.failedFuture(e);
        }
        return answer.toCompletableFuture().exceptionally(thrown -> {
            // A store answers calls even when it is down; one that does not must still not harm the caller.
            LOG.log(Level.WARNING, "The store failed to answer " + command.getClass().getSimpleName(), thrown);
            return new StoreReply(view.light, false, registry.instance(), null, null, null, false);
        });
    }

    /** Takes in a change: by an operator or by a call, on this instance or another. */
    void changed(StoreReply reply) {
        CompletableFuture<Void> reading = firstRead;
        if (reply.forgotten()) {
            View before = VIEW.getAndUpdate(this, seen -> seen.forgotten(configured()));
            if (before.phase != View.Phase.FORGOTTEN) {
                if (key == null && !before.overrides.isEmpty()) {
                    reconfigureKeys();
                }
                registry.forgotten(this);
            }
        } else if (reading != null) {
            // The first reading brings the run-time settings too, which a message may not; so it goes first.
            reading.thenRun(() -> applyReply(reply));
        } else if (view.phase == View.Phase.LIVE) {
            applyReply(reply);
        }
    }

    private View applyReply(StoreReply reply) {
        return apply(reply, false);
    }

    /**
     * Takes in what the store said, unless something later is known. Run-time settings, of which few replies speak, are
     * compared by themselves. {@code always} is for a reading after an interruption.
     */
    View apply(StoreReply reply, boolean always) {
        Light told = reply.light();
        Map<String, String> overrides = reply.overrides();
        while (true) {
            View before = view;
            // A light that is known already arrives again as a message; what remained of it then is less by now.
            boolean again = before.phase == View.Phase.LIVE && told.equals(before.light);
            boolean light = always || (told.isLaterThan(before.light) && !again);
            boolean settings = overrides != null && (always || told.stamp() >= before.overridesStamp);
            if (before.phase == View.Phase.FORGOTTEN || !(light || settings)) {
                announce(before, before, reply, false);
                return before;
            }
            View after = before.phase == View.Phase.UNKNOWN && shareable(reply)
                    ? keyedFamily().green
                    : before.next(light ? told : null, settings ? reply : null, configured(), registry.ticker, registry.store.immediate());
            if (VIEW.compareAndSet(this, before, after)) {
                noteCounting(after);
                announce(before, after, reply, always);
                if (key == null && !before.overrides.equals(after.overrides)) {
                    reconfigureKeys();
                }
                return after;
            }
        }
    }

    /** Whether this is one of very many keys about which there is nothing to say, so that they can share one view. */
    private boolean shareable(StoreReply reply) {
        Light told = reply.light();
        Map<String, String> changed = reply.overrides();
        return key != null
                && told.epoch() == 0
                && told.failures() == 0
                && told.lock() == null
                && (changed == null || changed.isEmpty())
                && keyedFamily().green.window == null;
    }

    private Family family() {
        Family known = family;
        if (known == null) {
            synchronized (this) {
                known = family;
                if (known == null) {
                    known = new Family(own.overriddenBy(overrides()), registry.store.immediate());
                    family = known;
                }
            }
        }
        return known;
    }

    private Family keyedFamily() {
        return Objects.requireNonNull(ofName, "not keyed").family();
    }

    private void reconfigureKeys() {
        synchronized (this) {
            Family known = family;
            if (known == null) {
                return;
            }
            known.reconfigure(own.overriddenBy(overrides()), registry.store.immediate());
        }
        registry.keysOf(this).forEach(Breaker::reconfigure);
    }

    private void announce(View before, View after, StoreReply reply, boolean read) {
        BreakerTransition transition = reply.transition();
        boolean caused = reply.instance().equals(registry.instance());
        boolean known = before.phase == View.Phase.LIVE;
        boolean moved = before.light.epoch() != after.light.epoch() && before.light.state() != after.light.state();
        if (transition == null && read && known && moved) {
            // The message was lost with the connection.
            transition = new BreakerTransition(
                    Instant.ofEpochMilli(after.light.sinceMillis()), before.light.state(), after.light.state(), "read from the store", "");
            caused = false;
        }
        if (transition != null && firstTime(reply.light().epoch())) {
            if (transition.from() != transition.to()) {
                registry.publish(new BreakerEvent.Transitioned(name, key, transition, caused));
            }
        }
        if (known && before.light.lock() != after.light.lock()) {
            registry.publish(new BreakerEvent.LockChanged(name, key, after.light.lock(), reply.instance(), caused));
        }
        if (known && !before.overrides.equals(after.overrides)) {
            registry.publish(new BreakerEvent.SettingsChanged(name, key, after.overrides, reply.instance(), caused));
        }
    }

    private synchronized boolean firstTime(long epoch) {
        if (announced == null) {
            announced = new Announcements();
        }
        return announced.add(epoch);
    }

    /** The settings sent to the store: what is configured and, for a key, what was changed at run time for its name. */
    BreakerSettings configured() {
        return ofName == null ? own : own.overriddenBy(ofName.overrides());
    }

    void reconfigure() {
        noteCounting(VIEW.updateAndGet(this, seen -> seen.reconfigured(configured(), registry.store.immediate())));
    }

    private void noteCounting(View now) {
        if (key != null && now.window != null) {
            registry.keysCount();
        }
    }

    /** After {@link #forget}, a call brings the breaker back. */
    void revive() {
        if (!isForgotten()) {
            return;
        }
        CompletableFuture<Void> reading = new CompletableFuture<>();
        synchronized (this) {
            if (!isForgotten()) {
                return;
            }
            // In this order: whoever finds the view unknown finds something to wait for.
            firstRead = reading;
            view = View.unknown(configured());
        }
        registry.revived(this);
        begin(reading);
    }

    boolean isForgotten() {
        return view.phase == View.Phase.FORGOTTEN;
    }

    boolean isNoteworthy() {
        View seen = view;
        return seen.light.epoch() > 0 || seen.light.failures() > 0 || !seen.overrides.isEmpty();
    }

    StoreObserver.Active active() {
        View seen = view;
        Light light = seen.light;
        long nanos = registry.ticker.nanos();
        long remaining = TimeUnit.NANOSECONDS.toMillis(seen.remainingNanos(nanos));
        Light now = new Light(
                seen.state(nanos),
                light.epoch(),
                light.sinceMillis(),
                remaining,
                light.trips(),
                light.lock(),
                light.failures(),
                light.probes(),
                light.probeSuccesses(),
                light.nearMinimum(),
                light.stamp());
        return new StoreObserver.Active(id(), configured(), now, seen.overrides);
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof CompletionException && cause != null ? cause : thrown;
    }

    @Override
    public String toString() {
        return "Breaker '" + id() + "' (" + state() + ")";
    }
}
