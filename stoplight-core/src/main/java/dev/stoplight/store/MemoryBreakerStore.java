package dev.stoplight.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Keeps the lights in this process. Registries that share a store share the lights. */
public final class MemoryBreakerStore implements BreakerStore {

    private static final int SMALLEST_SWEEP = 1024;

    /** With more breakers than that, the history of those that are closed again is kept for an hour instead of days. */
    private static final int VERY_MANY = 10_000;

    private static final long SWEEP_MICROS = Duration.ofMinutes(1).toMillis() * 1000;

    private final Map<String, LightMachine> machines = new ConcurrentHashMap<>();
    private final List<StoreObserver> observers;
    private final LongSupplier micros;
    private final boolean standsIn;
    private final StoreStatus status;
    private volatile int sweepAt = SMALLEST_SWEEP;
    private final AtomicLong sweepAfter;

    public MemoryBreakerStore() {
        this(steadyMicros());
    }

    /** A store on a clock of one's own: microseconds since 1970 that never run backwards. */
    public MemoryBreakerStore(LongSupplier micros) {
        this(micros, new CopyOnWriteArrayList<>(), false);
    }

    /**
     * A store in place of another for a while: whatever the other says afterwards is later than anything that was said here.
     *
     * @param observers those of the other store, as they come and go
     */
    public static MemoryBreakerStore standingIn(LongSupplier micros, List<StoreObserver> observers) {
        return new MemoryBreakerStore(micros, observers, true);
    }

    private MemoryBreakerStore(LongSupplier micros, List<StoreObserver> observers, boolean standsIn) {
        this.micros = micros;
        this.observers = observers;
        this.standsIn = standsIn;
        this.sweepAfter = new AtomicLong(micros.getAsLong() + SWEEP_MICROS);
        this.status = new StoreStatus(true, Instant.now(), "in this process");
    }

    private static LongSupplier steadyMicros() {
        Instant start = Instant.now();
        long startMicros = start.getEpochSecond() * 1_000_000 + start.getNano() / 1000;
        long startNanos = System.nanoTime();
        return () -> startMicros + (System.nanoTime() - startNanos) / 1000;
    }

    @Override
    public String type() {
        return "memory";
    }

    @Override
    public boolean immediate() {
        return true;
    }

    @Override
    public Runnable subscribe(StoreObserver observer) {
        observers.add(observer);
        return () -> observers.remove(observer);
    }

    @Override
    public CompletionStage<StoreReply> execute(StoreRequest request) {
        return CompletableFuture.completedFuture(answer(request));
    }

    /** Goes on from a light that another store knew, unless this one knows the breaker already. */
    public void seed(StoreObserver.Active known) {
        long now = micros.getAsLong();
        machines.computeIfAbsent(known.id(), id -> LightMachine.goingOn(known.light(), known.overrides(), now));
    }

    /** Leaves a breaker to another store that knows it now; nobody is told. */
    public void drop(String id) {
        machines.remove(id);
    }

    private StoreReply answer(StoreRequest request) {
        // A breaker of which nothing is known needs no machine to be read or cleared: green keys leave nothing behind.
        StoreCommand command = request.command();
        boolean creates = !(command instanceof StoreCommand.Read
                || command instanceof StoreCommand.Clear
                || command instanceof StoreCommand.Acquire
                || command instanceof StoreCommand.Settle
                || command instanceof StoreCommand.Forget);
        Answer answer = new Answer();
        machines.compute(request.id(), (id, known) -> {
            LightMachine machine = known == null ? new LightMachine(standsIn) : known;
            answer.micros = micros.getAsLong();
            answer.reply = machine.apply(request, answer.micros, standsIn ? 0 : answer.micros);
            answer.publish = machine.mustPublish();
            boolean gone = known == null ? !creates : command instanceof StoreCommand.Forget;
            return gone ? null : machine;
        });
        sweepWhenDue(answer.micros);
        StoreReply reply = answer.reply;
        if (reply == null) {
            throw new IllegalStateException("no reply to " + command);
        }
        if (answer.publish) {
            observers.forEach(observer -> observer.changed(request.id(), reply));
        }
        return reply;
    }

    private static final class Answer {
        private @Nullable StoreReply reply;
        private boolean publish;
        private long micros;
    }

    /** Once a minute, and each time the number of machines has doubled; no timer is needed for it. */
    private void sweepWhenDue(long now) {
        long after = sweepAfter.get();
        if ((now > after || machines.size() >= sweepAt) && sweepAfter.compareAndSet(after, now + SWEEP_MICROS)) {
            sweepAt = Integer.MAX_VALUE;
            sweep(now);
        }
    }

    /** The machines that nobody would miss go. */
    private void sweep(long now) {
        boolean veryMany = machines.size() > VERY_MANY;
        machines.keySet()
                .forEach(id -> machines.computeIfPresent(id, (key, machine) -> machine.forgettable(now, veryMany) ? null : machine));
        sweepAt = Math.max(SMALLEST_SWEEP, 2 * machines.size());
    }

    /** How many breakers are kept, those included that the next sweep would drop. */
    int size() {
        return machines.size();
    }

    @Override
    public CompletionStage<Set<String>> known() {
        sweep(micros.getAsLong());
        return CompletableFuture.completedFuture(new TreeSet<>(machines.keySet()));
    }

    @Override
    public StoreStatus status() {
        return status;
    }

    @Override
    public void close() {
        observers.clear();
    }
}
