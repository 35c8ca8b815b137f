package dev.stoplight;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leave to make one call, for code that cannot hand the call over as a function.
 *
 * <p>It is settled by the first of {@link #succeed}, {@link #fail} and {@link #release}; whatever comes later does nothing. One
 * that is never settled blocks nobody: a green light needs no permit back, and a probe's lease expires.
 */
public final class Permit {

    private final Breaker breaker;
    private final View view;
    private final @Nullable String lease;
    private final long startNanos;
    private final AtomicBoolean settled = new AtomicBoolean();

    /** How long the call has waited for the store to get this permit. */
    private long waitedNanos;

    Permit(Breaker breaker, View view, @Nullable String lease, long startNanos) {
        this.breaker = breaker;
        this.view = view;
        this.lease = lease;
        this.startNanos = startNanos;
    }

    Permit waited(long nanos) {
        waitedNanos = nanos;
        return this;
    }

    boolean isProbe() {
        return lease != null;
    }

    /** The call returned. Waits until the store knows, where it must know. */
    public void succeed() {
        breaker.await(success(), waitedNanos);
    }

    /** The call threw. Waits until the store knows, so that the caller's next call sees the new state. */
    public void fail(Throwable thrown) {
        breaker.await(failure(thrown), waitedNanos);
    }

    /** The call counts as neither: it was cancelled, or never made. */
    public void release() {
        if (settled.compareAndSet(false, true)) {
            breaker.released(view, lease);
        }
    }

    /** As {@link #succeed}, without waiting; the stage never fails. */
    public CompletionStage<Void> succeedAsync() {
        return Breaker.offTheStoresThread(success());
    }

    /** As {@link #fail}, without waiting; the stage never fails. */
    public CompletionStage<Void> failAsync(Throwable thrown) {
        return Breaker.offTheStoresThread(failure(thrown));
    }

    private CompletableFuture<Void> success() {
        return settled.compareAndSet(false, true) ? breaker.succeeded(view, lease, startNanos) : Breaker.DONE;
    }

    private CompletableFuture<Void> failure(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        return settled.compareAndSet(false, true) ? breaker.failed(view, lease, startNanos, thrown) : Breaker.DONE;
    }

    /** Starts an asynchronous call with this permit, on this thread; otherwise as {@link Breaker#supplyAsync}. */
    public <T extends @Nullable Object> CompletionStage<T> supplyAsync(Supplier<? extends CompletionStage<T>> supplier) {
        AsyncCall<T> call = new AsyncCall<>();
        call.start(this, supplier);
        return call;
    }
}
