package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.testing.ForwardingStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a call does while it waits for the store, and for how long it waits. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WaitingForTheStoreTest {

    private final TestClock clock = new TestClock();
    private Function<StoreRequest, CompletionStage<StoreReply>> answers;

    /** A store elsewhere, for which a call waits no longer than it has to. */
    private final class RemoteStore extends ForwardingStore {

        RemoteStore() {
            super(new MemoryBreakerStore(clock));
            answers = target::execute;
        }

        @Override
        public CompletionStage<StoreReply> execute(StoreRequest request) {
            return answers.apply(request);
        }

        CompletionStage<StoreReply> later(StoreRequest request) {
            return CompletableFuture.supplyAsync(() -> target.execute(request).toCompletableFuture().join());
        }

        @Override
        public boolean immediate() {
            return false;
        }

        @Override
        public Duration timeout() {
            return Duration.ofNanos(1);
        }
    }

    private final RemoteStore store = new RemoteStore();
    private final Breaker breaker = new Node("a", store, clock)
            .registry.breaker("payments", BreakerSettings.builder().threshold(1).coolOff(Duration.ofSeconds(10)).build());

    private void fail() {
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw new IllegalStateException("boom");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCallThatHasWaitedForItsProbeDoesNotWaitAsLongAgainForItsEnd() {
        fail();
        clock.advance(Duration.ofSeconds(10));
        CompletableFuture<StoreReply> never = new CompletableFuture<>();
        answers = request -> request.command() instanceof StoreCommand.Settle ? never : store.later(request);
        assertThat(breaker.supply(() -> "value")).isEqualTo("value");
    }

    @Test
    void aCallWaitsForWhatItWaitsForFirst() {
        answers = store::later;
        fail();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void aThreadOfAPoolDoesNothingElseWhileItWaits() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            boolean ranMeanwhile = pool.submit(() -> {
                        Thread caller = Thread.currentThread();
                        answers = request -> CompletableFuture.runAsync(() -> awaitBlocked(caller, ran), command -> new Thread(command).start())
                                .thenCompose(blocked -> store.later(request));
                        CompletableFuture.runAsync(() -> ran.set(true), pool);
                        fail();
                        return ran.get();
                    })
                    .get(20, TimeUnit.SECONDS);
            assertThat(ranMeanwhile).isFalse();
        } finally {
            pool.shutdown();
        }
    }

    private static void awaitBlocked(Thread caller, AtomicBoolean ran) {
        while (caller.getState() != Thread.State.WAITING && caller.getState() != Thread.State.TIMED_WAITING && !ran.get()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anErrorInTheStoreHarmsNeitherThisCallNorTheNext() {
        Breaker another = new Node("b", store, clock).registry.breaker("another");
        answers = request -> {
            throw new StackOverflowError("as this test wants");
        };
        IllegalStateException boom = new IllegalStateException("boom");
        assertThatThrownBy(() -> another.run(() -> {
                    throw boom;
                }))
                .isSameAs(boom);
        Breaker created = new Node("c", store, clock).registry.breaker("created");
        assertThat(created.supply(() -> "value")).isEqualTo("value");

        fail();
        answers = store::later;
        fail();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        clock.advance(Duration.ofSeconds(10));
        answers = request -> {
            throw new StackOverflowError("as this test wants");
        };
        assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class);
        answers = store::later;
        assertThat(breaker.supply(() -> "value")).isEqualTo("value");
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
    }
}
