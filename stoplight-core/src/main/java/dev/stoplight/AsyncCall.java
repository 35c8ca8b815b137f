package dev.stoplight;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The future handed to the caller of an asynchronous call: it completes once the outcome is recorded. */
final class AsyncCall<T extends @Nullable Object> extends CompletableFuture<T> {

    private volatile @Nullable CompletableFuture<T> source;
    private volatile @Nullable Permit permit;

    void start(Permit granted, Supplier<? extends CompletionStage<T>> supplier) {
        permit = granted;
        if (isCancelled()) {
            granted.release();
            return;
        }
        try {
            CompletionStage<T> stage = supplier.get();
            if (stage == null) {
                throw new NullPointerException("the supplier returned no CompletionStage");
            }
            source = future(stage);
            if (isCancelled()) {
                cancelSource(true);
            }
            stage.whenComplete((value, thrown) -> ended(granted, value, thrown));
        } catch (Throwable thrown) {
            failed(granted, thrown);
        }
    }

    /** The stage as something that can be cancelled; a stage need not be able to. */
    private static <T extends @Nullable Object> @Nullable CompletableFuture<T> future(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    private void ended(Permit granted, T value, @Nullable Throwable thrown) {
        if (thrown == null) {
            granted.succeedAsync().whenComplete((done, never) -> complete(value));
        } else if (Breaker.unwrap(thrown) instanceof CancellationException) {
            granted.release();
            completeExceptionally(thrown);
        } else {
            failed(granted, Breaker.unwrap(thrown));
        }
    }

    private void failed(Permit granted, Throwable thrown) {
        granted.failAsync(thrown).whenComplete((done, never) -> completeExceptionally(thrown));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            Permit granted = permit;
            if (granted != null) {
                granted.release();
            }
            cancelSource(mayInterruptIfRunning);
        }
        return cancelled;
    }

    private void cancelSource(boolean mayInterruptIfRunning) {
        CompletableFuture<T> running = source;
        if (running != null) {
            running.cancel(mayInterruptIfRunning);
        }
    }

    /** Stages derived from this one are ordinary futures. */
    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
