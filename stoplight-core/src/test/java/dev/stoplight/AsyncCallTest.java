package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.SlowStore;
import dev.stoplight.testing.TestClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Asynchronous calls on a store that takes its time; all on one thread, so that anything that blocked would hang here. */
final class AsyncCallTest {

    private static final Duration SOON = Duration.ofSeconds(5);

    private final TestClock clock = new TestClock();
    private final SlowStore store = new SlowStore(new MemoryBreakerStore(clock));
    private final Node node = new Node("a", store, clock);
    private final IllegalStateException boom = new IllegalStateException("boom");

    private Breaker breaker() {
        return node.registry.breaker("payments", BreakerSettings.builder().threshold(3).coolOff(Duration.ofSeconds(10)).build());
    }

    private static <T> CompletableFuture<T> call(Breaker breaker, CompletionStage<T> stage) {
        return breaker.supplyAsync(() -> stage).toCompletableFuture();
    }

    private void trip(Breaker breaker) {
        for (int i = 0; i < 3; i++) {
            call(breaker, CompletableFuture.failedFuture(boom));
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void theFirstCallWaitsForTheFirstReadingWithoutBlocking() {
        store.holdAnswers();
        CompletableFuture<String> result = call(breaker(), CompletableFuture.completedFuture("value"));
        assertThat(result).isNotDone();
        store.deliverEverything();
        assertThat(result).succeedsWithin(SOON).isEqualTo("value");
    }

    @Test
    void aFailureArrivesOnceItIsRecorded() {
        Breaker breaker = breaker();
        store.holdAnswers();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        source.completeExceptionally(boom);
        assertThat(result).isNotDone();
        store.deliverEverything();
        assertThatThrownBy(result::join).hasCause(boom);
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
        assertThat(breaker.calls().failed()).isEqualTo(1);
    }

    @Test
    void aFailureOfADerivedStageArrivesUnwrapped() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker(), source.thenApply(String::trim));
        source.completeExceptionally(boom);
        List<Throwable> seen = new ArrayList<>();
        result.whenComplete((value, thrown) -> seen.add(thrown));
        assertThat(seen).containsExactly(boom);
        assertThat(breaker().details().recentFailures().get(0).error()).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void anExceptionThrownWhileStartingArrivesThroughTheStageAndCounts() {
        Breaker breaker = breaker();
        CompletableFuture<String> result = breaker.<String>supplyAsync(() -> {
                    throw boom;
                })
                .toCompletableFuture();
        assertThatThrownBy(result::join).hasCause(boom);
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
    }

    @Test
    void aSupplierWithoutAStageFails() {
        Breaker breaker = breaker();
        CompletableFuture<String> result = call(breaker, null);
        assertThatThrownBy(result::join).hasRootCauseMessage("the supplier returned no CompletionStage");
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
    }

    @Test
    void aRejectionArrivesThroughTheStageAndTheSupplierIsNotAsked() {
        Breaker breaker = breaker();
        trip(breaker);
        AtomicBoolean asked = new AtomicBoolean();
        CompletableFuture<String> result = breaker.supplyAsync(() -> {
                    asked.set(true);
                    return CompletableFuture.completedFuture("value");
                })
                .toCompletableFuture();
        List<Throwable> seen = new ArrayList<>();
        result.whenComplete((value, thrown) -> seen.add(thrown));
        assertThat(seen).singleElement().isInstanceOf(CircuitOpenException.class);
        assertThat(asked).isFalse();
        assertThat(breaker.calls().rejected()).isEqualTo(1);
    }

    @Test
    void aProbeIsAskedForWithoutBlocking() {
        Breaker breaker = breaker();
        trip(breaker);
        clock.advance(Duration.ofSeconds(10));
        store.holdAnswers();
        CompletableFuture<String> probe = call(breaker, CompletableFuture.completedFuture("value"));
        assertThat(probe).isNotDone();

        CompletableFuture<String> other = call(breaker, CompletableFuture.completedFuture("other"));
        assertThatThrownBy(other::join).hasCauseInstanceOf(CircuitOpenException.class);

        store.deliverEverything();
        assertThat(probe).succeedsWithin(SOON).isEqualTo("value");
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void cancellingTheResultCancelsTheCallAndCountsAsNeither() {
        Breaker breaker = breaker();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        assertThat(result.cancel(true)).isTrue();
        assertThat(source).isCancelled();
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 0, 0, 0, 0));
        assertThat(breaker.snapshot().failures()).isZero();
    }

    @Test
    void aCallThatIsCancelledByItselfCountsAsNeither() {
        Breaker breaker = breaker();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        source.cancel(true);
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        assertThat(breaker.snapshot().failures()).isZero();
    }

    @Test
    void cancellingBeforeTheLeaseIsGrantedGivesItBackAndNeverStartsTheCall() {
        Breaker breaker = breaker();
        trip(breaker);
        clock.advance(Duration.ofSeconds(10));
        store.holdAnswers();
        AtomicBoolean asked = new AtomicBoolean();
        CompletableFuture<String> result = breaker.supplyAsync(() -> {
                    asked.set(true);
                    return CompletableFuture.completedFuture("value");
                })
                .toCompletableFuture();
        assertThat(result.cancel(true)).isTrue();
        store.deliverEverything();
        await().atMost(SOON).untilAsserted(() -> assertThat(breaker.snapshot().probes()).isZero());
        assertThat(asked).isFalse();
        assertThat(breaker.supply(() -> "next")).isEqualTo("next");
    }

    @Test
    void cancellingWhileTheOutcomeIsBeingRecordedDoesNotCountTwice() {
        Breaker breaker = breaker();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        store.holdAnswers();
        source.completeExceptionally(boom);
        result.cancel(true);
        store.deliverEverything();
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 1, 0, 0, 0));
    }

    @Test
    void aTimeoutOnTheResultLeavesTheCallToBeRecordedWhenItEnds() {
        Breaker breaker = breaker();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        result.completeExceptionally(new java.util.concurrent.TimeoutException());
        assertThat(breaker.calls().failed()).isZero();
        source.complete("late");
        assertThat(breaker.calls().succeeded()).isEqualTo(1);
    }

    @Test
    void aStageThatCannotBecomeAFutureWorksToo() {
        Breaker breaker = breaker();
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, withoutFuture(source));
        CompletableFuture<String> cancelled = call(breaker, withoutFuture(new CompletableFuture<>()));
        CompletableFuture<String> minimal = call(breaker, new CompletableFuture<String>().minimalCompletionStage());
        source.complete("value");
        assertThat(result).succeedsWithin(SOON).isEqualTo("value");
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(minimal.cancel(true)).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<String> withoutFuture(CompletableFuture<String> source) {
        return (CompletionStage<String>) Proxy.newProxyInstance(
                AsyncCallTest.class.getClassLoader(), new Class<?>[] {CompletionStage.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("toCompletableFuture")) {
                        throw new UnsupportedOperationException("toCompletableFuture");
                    }
                    return method.invoke(source, arguments);
                });
    }

    @Test
    void stagesDerivedFromTheResultAreOrdinary() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<Integer> length = call(breaker(), source).thenApply(String::length);
        assertThat(length).isExactlyInstanceOf(CompletableFuture.class);
        length.cancel(true);
        assertThat(source).isNotDone();
    }

    @Test
    void slowAsynchronousCallsAreMeasuredUntilTheyComplete() {
        Breaker breaker = breaker();
        breaker.configure(BreakerSettings.builder().slowCall(Duration.ofSeconds(1)).build());
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> result = call(breaker, source);
        clock.advance(Duration.ofSeconds(2));
        source.complete("late");
        assertThat(result).succeedsWithin(SOON).isEqualTo("late");
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
    }

    @Test
    void aPermitThatNobodyWantsAnyMoreIsGivenBack() {
        Breaker breaker = breaker();
        trip(breaker);
        clock.advance(Duration.ofSeconds(10));
        store.holdAnswers();
        breaker.acquireAsync().toCompletableFuture().cancel(true);
        store.deliverEverything();
        await().atMost(SOON).untilAsserted(() -> assertThat(breaker.snapshot().probes()).isZero());
        assertThat(breaker.supply(() -> "value")).isEqualTo("value");
    }
}
