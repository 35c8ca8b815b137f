package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.Permit;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Guards a method that returns a {@code Mono}, a {@code Flux} or what Spring can convert to them. Needs Reactor. */
final class ReactiveCall implements GuardedCall {

    private final ReactiveAdapter adapter;

    private ReactiveCall(ReactiveAdapter adapter) {
        this.adapter = adapter;
    }

    /** For that return type; null when it is not a reactive one. */
    static @Nullable ReactiveCall of(Class<?> returnType) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        return adapter == null ? null : new ReactiveCall(adapter);
    }

    /** Whether this is one of the threads that Reactor forbids to block. */
    static boolean mustNotBlock() {
        return Schedulers.isInNonBlockingThread();
    }

    @Override
    public Object run(CallPlan plan, MethodInvocation invocation) {
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? Flux.defer(() -> many(plan, invocation))
                        : Mono.defer(() -> one(plan, invocation)));
    }

    private Mono<Object> one(CallPlan plan, MethodInvocation invocation) {
        Breaker breaker = plan.breaker(invocation);
        Lease lease = new Lease();
        return lease.acquire(breaker)
                .flatMap(permit -> Mono.defer(() -> Mono.from(proceed(invocation)))
                        .flatMap(value -> recorded(permit.succeedAsync()).thenReturn(value))
                        .switchIfEmpty(Mono.defer(() -> recorded(permit.succeedAsync()).then(Mono.empty())))
                        .onErrorResume(thrown -> recorded(permit.failAsync(thrown)).then(Mono.error(thrown))))
                .doOnCancel(lease::cancel)
                .onErrorResume(thrown -> Mono.from(recover(plan, breaker, invocation, thrown)));
    }

    private Flux<Object> many(CallPlan plan, MethodInvocation invocation) {
        Breaker breaker = plan.breaker(invocation);
        Lease lease = new Lease();
        return lease.acquire(breaker)
                .flatMapMany(permit -> Flux.defer(() -> proceed(invocation))
                        .concatWith(Mono.defer(() -> recorded(permit.succeedAsync()).then(Mono.empty())))
                        .onErrorResume(thrown -> recorded(permit.failAsync(thrown)).then(Mono.error(thrown))))
                .doOnCancel(lease::cancel)
                .onErrorResume(thrown -> recover(plan, breaker, invocation, thrown));
    }

    private Publisher<Object> proceed(MethodInvocation invocation) {
        return adapter.toPublisher(GuardedCall.proceedLater(invocation));
    }

    private Publisher<Object> recover(CallPlan plan, Breaker breaker, MethodInvocation invocation, Throwable thrown) {
        Fallbacks.Fallback fallback = plan.fallback(breaker, thrown);
        if (fallback == null) {
            return Mono.error(thrown);
        }
        try {
            return adapter.toPublisher(fallback.call(invocation, thrown));
        } catch (Throwable failure) {
            return Mono.error(failure);
        }
    }

    /** Waits until the outcome is recorded, which nobody who cancels may undo. */
    private static Mono<Void> recorded(CompletionStage<Void> outcome) {
        return Mono.fromFuture(outcome.toCompletableFuture(), true);
    }

    /** The permit of one subscription, which may be cancelled before there is a permit. */
    private static final class Lease {

        private volatile @Nullable Permit permit;
        private volatile boolean cancelled;

        Mono<Permit> acquire(Breaker breaker) {
            return Mono.fromFuture(() -> breaker.acquireAsync().thenApply(this::hold).toCompletableFuture(), true);
        }

        private Permit hold(Permit granted) {
            permit = granted;
            if (cancelled) {
                granted.release();
            }
            return granted;
        }

        void cancel() {
            cancelled = true;
            Permit granted = permit;
            if (granted != null) {
                granted.release();
            }
        }
    }
}
