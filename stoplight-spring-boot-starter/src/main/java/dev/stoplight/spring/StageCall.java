package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.CircuitOpenException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Guards a method that returns a {@link CompletionStage} or a {@link CompletableFuture}. */
final class StageCall implements GuardedCall {

    private final BooleanSupplier mustNotBlock;

    /** {@code mustNotBlock} tells whether the current thread may wait for the store when a probe is due. */
    StageCall(BooleanSupplier mustNotBlock) {
        this.mustNotBlock = mustNotBlock;
    }

    @Override
    public Object run(CallPlan plan, MethodInvocation invocation) {
        Breaker breaker;
        try {
            breaker = plan.breaker(invocation);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletionStage<@Nullable Object> guarded = start(breaker, invocation);
        return plan.hasFallback() ? new Recovering(plan, breaker, invocation, guarded) : guarded;
    }

    /** On the caller's thread where that is possible: the method may rely on what is bound to it, such as a security context. */
    private CompletionStage<@Nullable Object> start(Breaker breaker, MethodInvocation invocation) {
        if (mustNotBlock.getAsBoolean()) {
            return breaker.supplyAsync(() -> stage(GuardedCall.proceedLater(invocation)));
        }
        try {
            return breaker.acquire().supplyAsync(() -> stage(GuardedCall.proceed(invocation)));
        } catch (CircuitOpenException rejected) {
            return CompletableFuture.failedFuture(rejected);
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"})
    private static CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
        return (CompletionStage<@Nullable Object>) returned;
    }

    /** What the caller gets when there is a fallback; cancelling it cancels the call. */
    private static final class Recovering extends CompletableFuture<@Nullable Object> {

        private final CompletionStage<@Nullable Object> guarded;

        Recovering(CallPlan plan, Breaker breaker, MethodInvocation invocation, CompletionStage<@Nullable Object> guarded) {
            this.guarded = guarded;
            guarded.whenComplete((value, thrown) -> {
                if (thrown == null) {
                    complete(value);
                } else {
                    recover(plan, breaker, invocation, unwrap(thrown));
                }
            });
        }

        private void recover(CallPlan plan, Breaker breaker, MethodInvocation invocation, Throwable thrown) {
            Fallbacks.Fallback fallback = isCancelled() ? null : plan.fallback(breaker, thrown);
            if (fallback == null) {
                completeExceptionally(thrown);
                return;
            }
            try {
                Object result = fallback.call(invocation, thrown);
                if (!(result instanceof CompletionStage<?> stage)) {
                    throw new NullPointerException("fallback " + fallback.method() + " returned no CompletionStage");
                }
                stage.whenComplete((value, failure) -> {
                    if (failure == null) {
                        complete(value);
                    } else {
                        completeExceptionally(unwrap(failure));
                    }
                });
            } catch (Throwable failure) {
                completeExceptionally(failure);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                guarded.toCompletableFuture().cancel(mayInterruptIfRunning);
            }
            return cancelled;
        }

        /** Stages derived from this one are ordinary futures. */
        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }

        private static Throwable unwrap(Throwable thrown) {
            Throwable cause = thrown.getCause();
            return thrown instanceof CompletionException && cause != null ? cause : thrown;
        }
    }
}
