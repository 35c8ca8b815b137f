package dev.stoplight;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.Light;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreCommand.Restore;
import dev.stoplight.testing.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every store must make true, for one instance and for several that share it.
 *
 * <p>Time is the test's: both the breakers' ticker and the store's clock come from {@link #clock}. What one instance does may
 * reach another a little later, so that is waited for with {@link #eventually}.
 */
public abstract class BreakerContractTest {

    protected static final String NAME = "payments";

    protected final TestClock clock = new TestClock();

    private final List<Node> nodes = new ArrayList<>();

    /** A store for one more node; the stores of one test share their lights. */
    protected abstract BreakerStore newStore(TestClock clock);

    /** One more instance of the service. */
    protected final Node node(String instance) {
        Node node = new Node(instance, newStore(clock), clock);
        nodes.add(node);
        return node;
    }

    protected static void eventually(ThrowingRunnable assertion) {
        await().ignoreExceptions().atMost(ofSeconds(5)).pollDelay(Duration.ZERO).pollInterval(ofMillis(5)).untilAsserted(assertion);
    }

    @AfterEach
    protected void closeNodes() {
        nodes.forEach(Node::close);
    }

    /** Counts three failures in a row in a minute, stays red for ten seconds. */
    protected static BreakerSettings.Builder settings() {
        return BreakerSettings.builder().threshold(3).window(ofSeconds(60)).coolOff(ofSeconds(10));
    }

    private static BreakerSettings.Builder rate() {
        return settings().mode(BreakerMode.RATE).failureRate(0.5).minimumCalls(10);
    }

    private Pair pair(BreakerSettings.Builder settings) {
        return new Pair(node("a"), node("b"), settings.build());
    }

    /** The same breaker on two nodes. */
    private static final class Pair {

        private final Node nodeA;
        private final Node nodeB;
        private final Breaker a;
        private final Breaker b;

        Pair(Node nodeA, Node nodeB, BreakerSettings settings) {
            this.nodeA = nodeA;
            this.nodeB = nodeB;
            this.a = nodeA.registry.breaker(NAME, settings);
            this.b = nodeB.registry.breaker(NAME, settings);
            // After a second word from the store the first has been taken in; what happens from here on is heard on both.
            a.snapshot();
            b.snapshot();
        }

        /** Both believe it without asking, and the store says it too. */
        void are(BreakerState state) {
            eventually(() -> {
                assertThat(a.state()).isEqualTo(state);
                assertThat(b.state()).isEqualTo(state);
            });
            assertThat(a.snapshot().state()).isEqualTo(state);
            assertThat(b.snapshot().state()).isEqualTo(state);
        }

        void trip() {
            fail(a, a.settings().threshold());
            are(BreakerState.OPEN);
        }
    }

    private static final class Boom extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Boom() {
            super("boom");
        }
    }

    private static String succeed(Breaker breaker) {
        return breaker.supply(() -> "value");
    }

    private static void succeed(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(succeed(breaker)).isEqualTo("value");
        }
    }

    private static void fail(Breaker breaker) {
        fail(breaker, new Boom());
    }

    private static void fail(Breaker breaker, RuntimeException thrown) {
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }

    private static void fail(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            fail(breaker);
        }
    }

    /** A call that returns after that long. */
    private String take(Breaker breaker, Duration duration) {
        return breaker.supply(() -> {
            clock.advance(duration);
            return "late";
        });
    }

    private static CircuitOpenException rejected(Breaker breaker) {
        AtomicBoolean ran = new AtomicBoolean();
        CircuitOpenException rejection =
                catchThrowableOfType(CircuitOpenException.class, () -> breaker.run(() -> ran.set(true)));
        assertThat(ran).as("the call ran").isFalse();
        assertThat(rejection).as("rejection of " + breaker).isNotNull();
        return rejection;
    }

    // Green

    @Test
    void aHealthyCallReturnsItsValueAndChangesNothing() throws Exception {
        Pair pair = pair(settings());
        assertThat(succeed(pair.a)).isEqualTo("value");
        pair.nodeA.store.forgetRequests();

        assertThat(pair.a.call(() -> 42)).isEqualTo(42);
        assertThat(pair.a.<String>supply(() -> null)).isNull();
        pair.a.run(() -> {});
        assertThat(pair.a.supplyAsync(() -> CompletableFuture.completedFuture("later")).toCompletableFuture().join()).isEqualTo("later");
        pair.a.acquire().succeed();

        assertThat(pair.nodeA.store.requests()).isEmpty();
        assertThat(pair.a.calls()).isEqualTo(new BreakerCalls(6, 0, 0, 0, 0));
        BreakerSnapshot snapshot = pair.b.snapshot();
        assertThat(snapshot.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(snapshot.failures()).isZero();
        assertThat(snapshot.lock()).isNull();
        assertThat(snapshot.since()).isNull();
        assertThat(snapshot.retryAfter()).isZero();
        assertThat(pair.nodeA.registry.known().toCompletableFuture().join()).isEmpty();
        eventually(() -> assertThat(pair.nodeA.events.all()).containsExactly(new BreakerEvent.Created(NAME)));
    }

    @ParameterizedTest
    @EnumSource(value = BreakerMode.class, names = {"CONSECUTIVE", "COUNT"})
    void theThresholdthFailureOpensTheLightForEveryoneAndItsCallerGetsTheOriginalException(BreakerMode mode) {
        Pair pair = pair(settings().mode(mode));
        fail(pair.a);
        fail(pair.b);
        pair.are(BreakerState.CLOSED);
        assertThat(pair.b.snapshot().failures()).isEqualTo(2);

        Exception checked = new IOException("refused");
        assertThatThrownBy(() -> pair.b.call(() -> {
                    throw checked;
                }))
                .isSameAs(checked);

        pair.are(BreakerState.OPEN);
        assertThat(pair.a.snapshot().failures()).isEqualTo(3);
        assertThat(pair.a.snapshot().since()).isEqualTo(clock.instant());
    }

    @Test
    void oneNodeAloneTripsToo() {
        Node node = node("alone");
        Breaker breaker = node.registry.breaker(NAME, settings().build());
        fail(breaker, 2);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        rejected(breaker);
        clock.advance(ofSeconds(10));
        succeed(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        eventually(() -> assertThat(node.events.states()).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED));
    }

    @Test
    void aThresholdOfOneTripsAtOnce() {
        Pair pair = pair(settings().threshold(1));
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void consecutiveModeForgetsTheStreakAfterASuccessOnAnyNode() {
        Pair pair = pair(settings());
        fail(pair.a, 2);
        eventually(() -> {
            succeed(pair.b);
            assertThat(pair.a.snapshot().failures()).isZero();
        });

        fail(pair.a, 2);
        pair.are(BreakerState.CLOSED);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void consecutiveModeForgetsTheStreakUnderALatencyRuleToo() {
        Pair pair = pair(settings().maxAverageLatency(ofSeconds(1)));
        fail(pair.a, 2);
        succeed(pair.a);
        assertThat(pair.a.snapshot().failures()).isZero();
        fail(pair.a, 2);
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void consecutiveModeForgetsTheStreakAfterASuccessOnTheSameNode() {
        Pair pair = pair(settings());
        fail(pair.a, 2);
        succeed(pair.a);
        assertThat(pair.a.snapshot().failures()).isZero();
        fail(pair.a, 2);
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void countModeCountsFailuresWhateverSucceeds() {
        Pair pair = pair(settings().mode(BreakerMode.COUNT));
        fail(pair.a);
        succeed(pair.a);
        fail(pair.b);
        succeed(pair.b);
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void rateModeTripsOnlyWithEnoughCalls() {
        Pair pair = pair(rate());
        fail(pair.a, 5);
        fail(pair.b, 4);
        assertThat(pair.a.snapshot().failures()).isEqualTo(9);
        pair.are(BreakerState.CLOSED);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void rateModeStaysGreenBelowTheRate() {
        Pair pair = pair(rate());
        succeed(pair.a, 11);
        fail(pair.a, 5);
        fail(pair.b, 5);
        pair.are(BreakerState.CLOSED);

        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void rateModeTripsOnASuccessThatCompletesTheMinimum() {
        Pair pair = pair(rate());
        fail(pair.a, 5);
        succeed(pair.a, 4);
        assertThat(pair.a.state()).isEqualTo(BreakerState.CLOSED);
        succeed(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void rateModeCountsTheCallsOfEveryNode() {
        Pair pair = pair(rate());
        succeed(pair.b, 20);
        pair.are(BreakerState.CLOSED);
        fail(pair.a, 19);
        pair.are(BreakerState.CLOSED);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @ParameterizedTest
    @EnumSource(value = BreakerMode.class, names = {"CONSECUTIVE", "COUNT"})
    void aFailureCountsUntilItIsAWindowOld(BreakerMode mode) {
        Pair pair = pair(settings().mode(mode));
        fail(pair.a);
        clock.advance(ofMillis(59_999));
        fail(pair.b);
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);

        clock.advance(ofMillis(1));
        assertThat(pair.a.snapshot().failures()).isEqualTo(1);
        fail(pair.a);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void rateModeForgetsCallsThatAreAWindowOld() {
        Pair pair = pair(rate());
        fail(pair.a, 9);
        clock.advance(ofSeconds(60));
        assertThat(pair.b.snapshot().failures()).isZero();
        fail(pair.b, 9);
        pair.are(BreakerState.CLOSED);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @ParameterizedTest
    @EnumSource(BreakerMode.class)
    void failuresInTheSameMicrosecondCountEach(BreakerMode mode) {
        Pair pair = pair(settings().mode(mode));
        fail(pair.a);
        fail(pair.b);
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(BreakerMode.class)
    void aCommandThatIsSentTwiceCountsOnce(BreakerMode mode) {
        Pair pair = pair(settings().mode(mode).minimumCalls(3).recoveryThreshold(2));
        pair.nodeA.store.repeatCommands();
        fail(pair.a, 2);
        assertThat(pair.b.snapshot().failures()).isEqualTo(2);
        fail(pair.a);
        pair.are(BreakerState.OPEN);

        clock.advance(ofSeconds(10));
        Permit probe = pair.a.acquire();
        assertThat(pair.b.snapshot().probes()).isEqualTo(1);
        probe.succeed();
        pair.are(BreakerState.HALF_OPEN);
        succeed(pair.a);
        pair.are(BreakerState.CLOSED);
        eventually(() -> assertThat(pair.nodeB.events.states()).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED));
    }

    @Test
    void aFailureThatIsSentTwiceTakesTheCallsBeforeItAlongOnce() {
        Pair pair = pair(rate());
        pair.nodeA.store.repeatCommands();
        succeed(pair.a, 4);
        fail(pair.a, 5);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
        assertThat(pair.b.details().transitions().get(0).reason()).startsWith("failure rate 60% of 10 calls");
    }

    @Test
    void anIgnoredExceptionCountsAsNeitherAndReachesTheCallerUnchanged() {
        Pair pair = pair(settings().ignoreExceptions(IllegalArgumentException.class));
        fail(pair.a, 2);
        fail(pair.a, new IllegalArgumentException("ignored"));
        fail(pair.b, new NumberFormatException("a subclass, ignored"));
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
        assertThat(pair.a.calls()).isEqualTo(new BreakerCalls(0, 2, 1, 0, 0));

        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void ignoreBeatsRecordAndWhatIsNotRecordedIsIgnored() {
        Pair pair = pair(settings()
                .recordExceptions(IllegalArgumentException.class, UncheckedIOException.class)
                .ignoreExceptions(NumberFormatException.class));
        fail(pair.a, new NumberFormatException("ignored though recorded"));
        fail(pair.a, new IllegalStateException("not recorded"));
        assertThat(pair.a.snapshot().failures()).isZero();
        fail(pair.a, new IllegalArgumentException("recorded"));
        fail(pair.b, new UncheckedIOException(new IOException("recorded")));
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
    }

    @Test
    void anErrorCountsOnlyWhenItIsListed() {
        Breaker breaker = node("a").registry.breaker(NAME, settings().build());
        Error error = new AssertionError("not an exception");
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw error;
                }))
                .isSameAs(error);
        assertThat(breaker.snapshot().failures()).isZero();

        breaker.configure(BreakerSettings.builder().recordExceptions(AssertionError.class).build());
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw error;
                }))
                .isSameAs(error);
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
    }

    @Test
    void aSlowCallCountsAsAFailureThoughItsCallerGetsTheValue() {
        Pair pair = pair(settings().slowCall(ofMillis(500)));
        assertThat(take(pair.a, ofMillis(499))).isEqualTo("late");
        assertThat(pair.a.snapshot().failures()).isZero();

        assertThat(take(pair.a, ofMillis(500))).isEqualTo("late");
        assertThat(take(pair.b, ofSeconds(1))).isEqualTo("late");
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
        assertThat(take(pair.a, ofSeconds(1))).isEqualTo("late");
        pair.are(BreakerState.OPEN);

        assertThat(pair.a.calls()).isEqualTo(new BreakerCalls(1, 0, 0, 2, 0));
        BreakerFailure failure = pair.b.details().recentFailures().get(0);
        assertThat(failure.error()).isEqualTo("SlowCall");
        assertThat(failure.durationMillis()).isEqualTo(1000);
    }

    @Test
    void aSlowProbeOpensTheLightAgain() {
        Pair pair = pair(settings().slowCall(ofMillis(500)));
        pair.trip();
        clock.advance(ofSeconds(10));
        assertThat(take(pair.a, ofMillis(500))).isEqualTo("late");
        pair.are(BreakerState.OPEN);
    }

    @ParameterizedTest
    @EnumSource(BreakerMode.class)
    void anAverageLatencyAboveTheLimitOpensTheLightWithoutAnyError(BreakerMode mode) {
        Pair pair = pair(settings().mode(mode).maxAverageLatency(ofMillis(200)).minimumCalls(4));
        take(pair.a, ofMillis(100));
        take(pair.b, ofMillis(300));
        take(pair.a, ofMillis(200));
        pair.nodeA.registry.flush();
        pair.nodeB.registry.flush();
        take(pair.a, ofMillis(200));
        // At the limit is not above it.
        pair.are(BreakerState.CLOSED);

        take(pair.b, ofMillis(204));
        pair.nodeB.registry.flush();
        pair.are(BreakerState.OPEN);
        assertThat(pair.a.details().transitions().get(0).reason()).isEqualTo("average latency 200ms over 5 calls");
    }

    @Test
    void aTripNeedsFailuresOfEnoughInstances() {
        Pair pair = pair(settings().minimumInstances(2));
        fail(pair.a, 20);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void aTripByRateNeedsFailuresOfEnoughInstances() {
        Pair pair = pair(rate().minimumInstances(2));
        fail(pair.a, 20);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    // Red

    @Test
    void aRedLightRejectsOnEveryNodeWithoutRunningTheCallAndWithoutARoundTrip() {
        Pair pair = pair(settings());
        pair.trip();
        pair.nodeA.store.forgetRequests();
        pair.nodeB.store.forgetRequests();

        for (Breaker breaker : List.of(pair.a, pair.b)) {
            CircuitOpenException rejection = rejected(breaker);
            assertThat(rejection).hasMessage("Breaker 'payments' is OPEN; retry in 10s");
            assertThat(rejection.name()).isEqualTo(NAME);
            assertThat(rejection.state()).isEqualTo(BreakerState.OPEN);
            assertThatThrownBy(breaker::acquire).isInstanceOf(CircuitOpenException.class);
            assertThatThrownBy(() -> breaker.supplyAsync(() -> new CompletableFuture<>()).toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(CircuitOpenException.class);
            assertThat(breaker.calls().rejected()).isEqualTo(3);
        }

        assertThat(pair.nodeA.store.requests()).isEmpty();
        assertThat(pair.nodeB.store.requests()).isEmpty();
    }

    @Test
    void retryAfterCountsDownToZero() {
        Pair pair = pair(settings());
        pair.trip();
        assertThat(rejected(pair.a).retryAfter()).isEqualTo(ofSeconds(10));
        clock.advance(ofMillis(6_500));
        assertThat(rejected(pair.b).retryAfter()).isEqualTo(ofMillis(3_500));
        assertThat(pair.a.snapshot().retryAfter()).isEqualTo(ofMillis(3_500));
        clock.advance(ofMillis(3_499));
        assertThat(rejected(pair.a).retryAfter()).isEqualTo(ofMillis(1));
        assertThat(rejected(pair.a)).hasMessage("Breaker 'payments' is OPEN; retry in 1s");
        clock.advance(ofMillis(1));
        assertThat(pair.b.snapshot().retryAfter()).isZero();
    }

    @Test
    void aCallFromBeforeTheTripNeitherExtendsTheCoolOffNorCountsLater() {
        Pair pair = pair(settings().mode(BreakerMode.COUNT));
        List<Permit> early = Stream.of(pair.a, pair.b, pair.a, pair.b, pair.a, pair.b).map(Breaker::acquire).toList();
        pair.trip();

        clock.advance(ofSeconds(5));
        early.get(0).fail(new Boom());
        early.get(1).fail(new Boom());
        assertThat(pair.a.snapshot().failures()).isEqualTo(3);
        assertThat(rejected(pair.a).retryAfter()).isEqualTo(ofSeconds(5));
        assertThat(rejected(pair.b).retryAfter()).isEqualTo(ofSeconds(5));

        clock.advance(ofSeconds(5));
        Permit probe = pair.b.acquire();
        early.get(2).fail(new Boom());
        early.get(3).succeed();
        pair.are(BreakerState.HALF_OPEN);
        probe.succeed();
        pair.are(BreakerState.CLOSED);

        early.get(4).fail(new Boom());
        early.get(5).fail(new Boom());
        assertThat(pair.a.snapshot().failures()).isZero();
    }

    @Test
    void theCoolOffGrowsOnEachFailedRecoveryUpToTheCapAndStartsOverAfterAClose() {
        Pair pair = pair(settings().coolOffMultiplier(2).maxCoolOff(ofSeconds(35)));
        pair.trip();
        Breaker next = pair.b;
        for (int seconds : new int[] {10, 20, 35, 35}) {
            assertThat(pair.a.snapshot().retryAfter()).isEqualTo(ofSeconds(seconds));
            clock.advance(ofSeconds(seconds));
            fail(next);
            pair.are(BreakerState.OPEN);
            next = next == pair.a ? pair.b : pair.a;
        }

        clock.advance(ofSeconds(35));
        succeed(next);
        pair.are(BreakerState.CLOSED);
        pair.trip();
        assertThat(pair.b.snapshot().retryAfter()).isEqualTo(ofSeconds(10));
    }

    // Yellow

    @Test
    void aYellowLightIsYellowSinceTheEndOfItsCoolOff() {
        Pair pair = pair(settings());
        pair.trip();
        Instant red = clock.instant();
        assertThat(pair.a.snapshot().since()).isEqualTo(red);
        clock.advance(ofSeconds(70));
        assertThat(pair.a.snapshot().since()).isEqualTo(red.plusSeconds(10));
        clock.advance(ofSeconds(1));
        pair.b.acquire();
        assertThat(pair.a.snapshot().since()).as("since somebody asked for a probe").isEqualTo(red.plusSeconds(71));
    }

    @Test
    void afterTheCoolOffTheStateReadsHalfOpenWithoutAnyTraffic() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofMillis(9_999));
        pair.are(BreakerState.OPEN);
        clock.advance(ofMillis(1));
        pair.are(BreakerState.HALF_OPEN);
        eventually(() -> assertThat(pair.nodeA.events.states()).containsExactly(BreakerState.OPEN));
        assertThat(node("later").registry.breaker(NAME, settings().build()).snapshot().state()).isEqualTo(BreakerState.HALF_OPEN);
    }

    @Test
    void onlySoManyProbesRunAtOnceInTheWholeFleet() {
        Pair pair = pair(settings().halfOpenCalls(2).recoveryThreshold(3));
        pair.trip();
        clock.advance(ofSeconds(10));
        Permit first = pair.a.acquire();
        Permit second = pair.b.acquire();
        assertThat(pair.a.snapshot().probes()).isEqualTo(2);

        for (Breaker breaker : List.of(pair.a, pair.b)) {
            CircuitOpenException rejection = rejected(breaker);
            assertThat(rejection.state()).isEqualTo(BreakerState.HALF_OPEN);
            assertThat(rejection.retryAfter()).isPositive();
        }

        first.succeed();
        eventually(() -> pair.b.acquire().release());
        second.succeed();
        pair.are(BreakerState.HALF_OPEN);
        assertThat(pair.a.snapshot().probes()).isZero();
    }

    @Test
    void aYellowLightDoesNotSendItsRejectedCallersToTheStore() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofSeconds(10));
        Permit probe = pair.a.acquire();
        eventually(() -> assertThat(rejected(pair.b).retryAfter()).isPositive());
        pair.nodeB.store.forgetRequests();
        for (int i = 0; i < 100; i++) {
            rejected(pair.b);
        }
        assertThat(pair.nodeB.store.requests()).isEmpty();

        clock.advance(ofMillis(100));
        rejected(pair.b);
        rejected(pair.b);
        assertThat(pair.nodeB.store.requests()).hasSize(1);
        probe.release();
    }

    @Test
    void enoughSuccessfulProbesCloseTheLightAndTheWindowStartsEmpty() {
        Pair pair = pair(settings().mode(BreakerMode.COUNT).recoveryThreshold(2));
        pair.trip();
        clock.advance(ofSeconds(10));
        succeed(pair.a);
        pair.are(BreakerState.HALF_OPEN);
        succeed(pair.b);
        pair.are(BreakerState.CLOSED);

        assertThat(pair.a.snapshot().failures()).isZero();
        fail(pair.a);
        fail(pair.b);
        pair.are(BreakerState.CLOSED);
        fail(pair.a);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void theCallsOfRateModeStartFromZeroAfterAClose() {
        Pair pair = pair(rate());
        fail(pair.a, 10);
        pair.are(BreakerState.OPEN);
        clock.advance(ofSeconds(10));
        succeed(pair.b);
        pair.are(BreakerState.CLOSED);
        fail(pair.a, 9);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void oneFailedProbeOpensTheLightAgainAndEarlierProbesNoLongerCount() {
        Pair pair = pair(settings().halfOpenCalls(2).recoveryThreshold(2));
        pair.trip();
        clock.advance(ofSeconds(10));
        succeed(pair.a);
        Permit slower = pair.a.acquire();
        fail(pair.b);
        pair.are(BreakerState.OPEN);
        slower.succeed();
        pair.are(BreakerState.OPEN);

        clock.advance(ofSeconds(10));
        succeed(pair.a);
        pair.are(BreakerState.HALF_OPEN);
        succeed(pair.b);
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void aCallWithinAProbeOfItsOwnBreakerIsPartOfTheProbe() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofSeconds(10));
        String value = pair.a.supply(() -> {
            assertThat(rejected(pair.b).state()).as("to others the probe is taken").isEqualTo(BreakerState.HALF_OPEN);
            return pair.a.supply(() -> succeed(pair.a));
        });
        assertThat(value).isEqualTo("value");
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void aFailureWithinAProbeFailsTheProbeOnlyIfTheProbeFails() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofSeconds(10));
        pair.a.run(() -> fail(pair.a));
        pair.are(BreakerState.CLOSED);

        pair.trip();
        clock.advance(ofSeconds(10));
        Boom boom = new Boom();
        assertThatThrownBy(() -> pair.a.run(() -> pair.a.run(() -> {
                    throw boom;
                })))
                .isSameAs(boom);
        pair.are(BreakerState.OPEN);
        assertThat(pair.a.details().recentFailures()).as("three of the trip, one of the probe").hasSize(4);
    }

    @Test
    void aProbeThatIsRejectedByItsOwnBreakerHasNotFailed() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofSeconds(10));
        CompletionStage<String> outer = pair.a.supplyAsync(() -> pair.a.supplyAsync(() -> CompletableFuture.completedFuture("value")));
        assertThatThrownBy(() -> outer.toCompletableFuture().join()).hasCauseInstanceOf(CircuitOpenException.class);
        pair.are(BreakerState.HALF_OPEN);
    }

    @Test
    void aProbeThatEndsInAnIgnoredExceptionGivesItsLeaseBack() {
        Pair pair = pair(settings().ignoreExceptions(IllegalArgumentException.class));
        pair.trip();
        clock.advance(ofSeconds(10));
        fail(pair.a, new IllegalArgumentException("ignored"));
        pair.are(BreakerState.HALF_OPEN);
        eventually(() -> succeed(pair.b));
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void aNodeThatDiesWithAProbeDelaysRecoveryByItsTimeoutAtMost() {
        Pair pair = pair(settings().probeTimeout(ofSeconds(5)));
        pair.trip();
        clock.advance(ofSeconds(10));
        Permit lost = pair.a.acquire();
        pair.nodeA.close();

        clock.advance(ofMillis(4_999));
        assertThat(rejected(pair.b).state()).isEqualTo(BreakerState.HALF_OPEN);
        assertThat(pair.b.snapshot().retryAfter()).isEqualTo(ofMillis(1));
        clock.advance(ofMillis(1));
        assertThat(succeed(pair.b)).isEqualTo("value");
        assertThat(pair.b.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        assertThat(lost).isNotNull();
    }

    @Test
    void aProbeThatOutlivesItsLeaseChangesNothing() {
        Pair pair = pair(settings().probeTimeout(ofSeconds(5)));
        pair.trip();
        clock.advance(ofSeconds(10));
        Permit slow = pair.a.acquire();
        clock.advance(ofSeconds(5));
        slow.succeed();
        pair.are(BreakerState.HALF_OPEN);

        Permit slower = pair.b.acquire();
        clock.advance(ofSeconds(5));
        slower.fail(new Boom());
        pair.are(BreakerState.HALF_OPEN);
        succeed(pair.a);
        pair.are(BreakerState.CLOSED);
    }

    // Locks and run-time changes

    @Test
    void lockedOpenRejectsHealthyCallsOnEveryNodeHoweverLong() {
        Pair pair = pair(settings());
        succeed(pair.b);
        pair.a.lock(BreakerLock.OPEN);
        pair.are(BreakerState.OPEN);
        for (Breaker breaker : List.of(pair.a, pair.b)) {
            assertThat(rejected(breaker).retryAfter()).isEqualTo(ofSeconds(10));
            assertThat(breaker.snapshot().lock()).isEqualTo(BreakerLock.OPEN);
        }
        clock.advance(Duration.ofDays(30));
        pair.are(BreakerState.OPEN);
        rejected(pair.a);
        rejected(pair.b);
    }

    @Test
    void lockedClosedLetsErrorsThroughAndCountsNothing() {
        Pair pair = pair(settings());
        fail(pair.a, 2);
        pair.b.lock(BreakerLock.CLOSED);
        eventually(() -> assertThat(pair.a.snapshot().lock()).isEqualTo(BreakerLock.CLOSED));
        fail(pair.a, 5);
        fail(pair.b, 5);
        pair.are(BreakerState.CLOSED);
        assertThat(pair.a.snapshot().failures()).isZero();
    }

    @Test
    void lockedClosedOpensARedLight() {
        Pair pair = pair(settings());
        pair.trip();
        pair.b.lock(BreakerLock.CLOSED);
        pair.are(BreakerState.CLOSED);
        succeed(pair.a);
        fail(pair.b, 5);
    }

    @ParameterizedTest
    @EnumSource(BreakerLock.class)
    void unlockStartsAfresh(BreakerLock lock) {
        Pair pair = pair(settings());
        fail(pair.a, 2);
        Permit early = pair.b.acquire();
        pair.a.lock(lock);
        eventually(() -> assertThat(pair.nodeB.events.of(BreakerEvent.LockChanged.class)).hasSize(1));
        pair.b.unlock();
        eventually(() -> assertThat(pair.nodeA.events.of(BreakerEvent.LockChanged.class)).hasSize(2));
        pair.are(BreakerState.CLOSED);

        early.fail(new Boom());
        assertThat(pair.a.snapshot().failures()).isZero();
        assertThat(pair.a.snapshot().lock()).isNull();
        fail(pair.a, 2);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void unlockOfWhatIsNotLockedLeavesARedLightRed() {
        Pair pair = pair(settings());
        pair.trip();
        pair.b.unlock();
        pair.are(BreakerState.OPEN);
    }

    @Test
    void resetClosesTheLightOnEveryNodeWithNothingCounted() {
        Pair pair = pair(settings().coolOffMultiplier(2));
        pair.trip();
        clock.advance(ofSeconds(10));
        fail(pair.a);
        pair.are(BreakerState.OPEN);
        pair.b.reset();
        pair.are(BreakerState.CLOSED);
        assertThat(pair.a.snapshot().failures()).isZero();
        pair.trip();
        assertThat(pair.a.snapshot().retryAfter()).isEqualTo(ofSeconds(10));
    }

    @Test
    void resetLeavesALockInPlace() {
        Pair pair = pair(settings());
        pair.a.lock(BreakerLock.OPEN);
        pair.b.reset();
        pair.are(BreakerState.OPEN);
        assertThat(pair.b.snapshot().lock()).isEqualTo(BreakerLock.OPEN);
    }

    @Test
    void aLockAndAChangedThresholdSurviveARestartOfEveryNode() {
        Pair pair = pair(settings());
        pair.a.configure(BreakerSettings.builder().threshold(1).build());
        pair.b.lock(BreakerLock.OPEN);
        pair.nodeA.close();
        pair.nodeB.close();

        Pair reborn = pair(settings());
        rejected(reborn.a);
        assertThat(reborn.b.snapshot().lock()).isEqualTo(BreakerLock.OPEN);
        assertThat(reborn.b.settings().threshold()).isEqualTo(1);
        reborn.a.unlock();
        reborn.are(BreakerState.CLOSED);
        fail(reborn.b);
        reborn.are(BreakerState.OPEN);
    }

    @Test
    void aRedLightAndAResetSurviveARestartOfEveryNode() {
        Pair pair = pair(settings());
        pair.trip();
        pair.nodeA.close();
        pair.nodeB.close();

        Pair reborn = pair(settings());
        rejected(reborn.a);
        reborn.a.reset();
        reborn.nodeA.close();
        reborn.nodeB.close();

        Pair again = pair(settings());
        succeed(again.a);
        succeed(again.b);
    }

    @Test
    void aChangedSettingIsUsedForTheVeryNextDecisionAndClearingItBringsBackTheConfiguredValue() {
        Pair pair = pair(settings());
        fail(pair.a);
        pair.b.configure(BreakerSettings.builder().threshold(2).coolOff(ofSeconds(3)).build());
        fail(pair.a);
        pair.are(BreakerState.OPEN);
        assertThat(pair.a.snapshot().retryAfter()).isEqualTo(ofSeconds(3));

        pair.a.clearOverrides();
        eventually(() -> assertThat(pair.b.settings()).isEqualTo(settings().build()));
        assertThat(pair.b.overrides()).isEqualTo(BreakerSettings.builtIn());
        pair.b.reset();
        pair.are(BreakerState.CLOSED);
        fail(pair.a, 2);
        pair.are(BreakerState.CLOSED);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
    }

    @Test
    void changesAddUpAndReachEveryNode() {
        Pair pair = pair(settings());
        pair.a.configure(BreakerSettings.builder().threshold(7).build());
        pair.b.configure(BreakerSettings.builder().mode(BreakerMode.COUNT).ignoreExceptions(Boom.class).build());
        BreakerSettings changed =
                BreakerSettings.builder().threshold(7).mode(BreakerMode.COUNT).ignoreExceptions(Boom.class).build();
        eventually(() -> assertThat(pair.a.overrides()).isEqualTo(changed));
        eventually(() -> assertThat(pair.b.overrides()).isEqualTo(changed));
        fail(pair.a);
        assertThat(pair.a.snapshot().failures()).isZero();
        assertThat(pair.b.snapshot().settings().threshold()).isEqualTo(7);
    }

    @Test
    void aDisabledBreakerLetsEverythingThroughAndCountsNothing() {
        Pair pair = pair(settings());
        pair.trip();
        pair.a.configure(BreakerSettings.builder().enabled(false).build());
        eventually(() -> assertThat(pair.b.settings().enabled()).isFalse());
        succeed(pair.a);
        fail(pair.b, 5);
        assertThat(pair.b.snapshot().retryAfter()).isZero();

        pair.b.clearOverrides();
        eventually(() -> assertThat(pair.a.settings().enabled()).isTrue());
        rejected(pair.a);
    }

    // Events and views

    @Test
    void everyTransitionIsToldOnceToEveryNodeAndIsOwnedByTheNodeThatCausedIt() {
        Pair pair = pair(settings());
        fail(pair.a, 2);
        fail(pair.b);
        pair.are(BreakerState.OPEN);
        clock.advance(ofSeconds(10));
        Permit probe = pair.a.acquire();
        pair.are(BreakerState.HALF_OPEN);
        probe.succeed();
        pair.are(BreakerState.CLOSED);

        for (Node node : List.of(pair.nodeA, pair.nodeB)) {
            eventually(() -> assertThat(node.events.states())
                    .containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED));
        }
        eventually(() -> assertThat(pair.nodeA.events.of(BreakerEvent.Transitioned.class))
                        .extracting(BreakerEvent.Transitioned::own)
                        .containsExactly(false, true, true));
        eventually(() -> assertThat(pair.nodeB.events.of(BreakerEvent.Transitioned.class))
                        .extracting(BreakerEvent.Transitioned::own)
                        .containsExactly(true, false, false));
        BreakerTransition opened = pair.nodeA.events.of(BreakerEvent.Transitioned.class).get(0).transition();
        assertThat(opened.from()).isEqualTo(BreakerState.CLOSED);
        assertThat(opened.instance()).isEqualTo("b");
        assertThat(opened.reason()).isEqualTo("3 failures in a row (" + Boom.class.getName() + ": boom)");
    }

    @Test
    void locksAndChangedSettingsAreToldOnceToEveryNode() {
        Pair pair = pair(settings());
        pair.a.lock(BreakerLock.CLOSED);
        pair.a.configure(BreakerSettings.builder().threshold(9).build());
        eventually(() -> assertThat(pair.nodeB.events.of(BreakerEvent.SettingsChanged.class)).hasSize(1));
        pair.b.snapshot();
        pair.a.snapshot();

        var overrides = BreakerSettings.builder().threshold(9).build().toText();
        eventually(() -> assertThat(pair.nodeA.events.all()).containsExactly(
                        new BreakerEvent.Created(NAME),
                        new BreakerEvent.LockChanged(NAME, null, BreakerLock.CLOSED, "a", true),
                        new BreakerEvent.SettingsChanged(NAME, null, overrides, "a", true)));
        eventually(() -> assertThat(pair.nodeB.events.all()).containsExactly(
                        new BreakerEvent.Created(NAME),
                        new BreakerEvent.LockChanged(NAME, null, BreakerLock.CLOSED, "a", false),
                        new BreakerEvent.SettingsChanged(NAME, null, overrides, "a", false)));
    }

    @Test
    void detailsShowFailuresAndTransitionsNewestFirst() {
        Pair pair = pair(settings());
        fail(pair.a);
        clock.advance(ofSeconds(1));
        fail(pair.b, new IllegalStateException("second"));
        clock.advance(ofSeconds(1));
        fail(pair.a);
        pair.are(BreakerState.OPEN);
        pair.b.lock(BreakerLock.CLOSED);

        BreakerDetails details = pair.a.details();
        assertThat(details.snapshot().lock()).isEqualTo(BreakerLock.CLOSED);
        assertThat(details.recentFailures()).isEmpty();
        assertThat(details.transitions()).extracting(BreakerTransition::reason)
                .containsExactly("locked closed", "3 failures in a row (" + Boom.class.getName() + ": boom)");
        assertThat(details.transitions()).extracting(BreakerTransition::instance).containsExactly("b", "a");
        assertThat(details.transitions()).extracting(BreakerTransition::at).containsOnly(clock.instant());
    }

    @Test
    void detailsShowWhereAndWhenACallFailed() {
        Pair pair = pair(settings().slowCall(ofSeconds(30)));
        fail(pair.a);
        clock.advance(ofSeconds(1));
        assertThatThrownBy(() -> pair.b.call(() -> {
                    clock.advance(ofMillis(250));
                    throw new IOException("second");
                }))
                .hasMessage("second");

        assertThat(pair.a.details().recentFailures()).containsExactly(
                new BreakerFailure(clock.instant(), "java.io.IOException", "second", "b", 250),
                new BreakerFailure(clock.instant().minusMillis(1250), Boom.class.getName(), "boom", "a", 0));
    }

    @Test
    void messagesStayOutOfTheStoreWhenTheyAreNotRecorded() {
        Pair pair = pair(settings().recordMessages(false).threshold(1));
        fail(pair.a);
        BreakerDetails details = pair.b.details();
        assertThat(details.recentFailures().get(0).message()).isNull();
        assertThat(details.transitions().get(0).reason()).isEqualTo("1 failure (" + Boom.class.getName() + ")");
    }

    @Test
    void forgettingRemovesEveryTraceOnEveryNodeAndTheNextCallStartsAnew() {
        Pair pair = pair(settings());
        pair.a.configure(BreakerSettings.builder().threshold(1).build());
        fail(pair.a);
        pair.are(BreakerState.OPEN);
        pair.b.forget();

        eventually(() -> assertThat(pair.nodeA.registry.find(NAME)).isEmpty());
        assertThat(pair.nodeB.registry.find(NAME)).isEmpty();
        assertThat(pair.nodeA.registry.known().toCompletableFuture().join()).isEmpty();
        eventually(() -> assertThat(pair.nodeA.events.of(BreakerEvent.Forgotten.class)).hasSize(1));
        eventually(() -> assertThat(pair.nodeB.events.of(BreakerEvent.Forgotten.class)).hasSize(1));

        succeed(pair.a);
        assertThat(pair.nodeA.registry.find(NAME)).contains(pair.a);
        eventually(() -> assertThat(pair.nodeA.events.of(BreakerEvent.Created.class)).hasSize(2));
        assertThat(pair.a.settings()).isEqualTo(settings().build());
        fail(pair.b, 2);
        pair.are(BreakerState.CLOSED);
        assertThat(pair.a.snapshot().failures()).isEqualTo(2);
        assertThat(pair.a.details().transitions()).isEmpty();
    }

    @Test
    void aCallThatFailsAfterItsBreakerWasForgottenLeavesNothing() {
        Pair pair = pair(settings());
        Permit late = pair.a.acquire();
        pair.a.forget();
        late.fail(new Boom());
        assertThat(pair.nodeA.registry.known().toCompletableFuture().join()).isEmpty();
        assertThat(pair.nodeA.registry.find(NAME)).isEmpty();
    }

    @Test
    void whatAnOperatorClearedIsNotPutBack() {
        Pair pair = pair(settings());
        Restore restore = new Restore(Light.GREEN, Map.of("threshold", "9"));
        pair.a.configure(BreakerSettings.builder().threshold(9).build());
        pair.a.clearOverrides();
        assertThat(pair.nodeB.execute(NAME, settings().build(), restore).accepted()).isFalse();
        assertThat(pair.a.snapshot().settings().threshold()).isEqualTo(3);

        pair.a.forget();
        assertThat(pair.nodeB.execute(NAME, settings().build(), restore).accepted()).as("nothing is known of it").isTrue();
    }

    // Asynchronous calls

    @Test
    void asynchronousCallsAreRecordedWhenTheyComplete() {
        Pair pair = pair(settings());
        List<CompletableFuture<String>> sources = Stream.generate(CompletableFuture<String>::new).limit(3).toList();
        List<CompletableFuture<String>> results =
                sources.stream().map(source -> pair.a.supplyAsync(() -> source).toCompletableFuture()).toList();
        assertThat(pair.a.snapshot().failures()).isZero();

        Boom boom = new Boom();
        for (int i = 0; i < 3; i++) {
            sources.get(i).completeExceptionally(boom);
            CompletableFuture<String> result = results.get(i);
            eventually(() -> assertThat(result).isCompletedExceptionally());
            assertThatThrownBy(result::join).hasCause(boom);
            assertThat(pair.b.snapshot().failures()).isEqualTo(i + 1);
        }
        pair.are(BreakerState.OPEN);

        clock.advance(ofSeconds(10));
        CompletableFuture<String> probe = new CompletableFuture<>();
        CompletableFuture<String> result = pair.b.supplyAsync(() -> probe).toCompletableFuture();
        eventually(() -> assertThat(pair.a.snapshot().probes()).isEqualTo(1));
        probe.complete("well again");
        assertThat(result.join()).isEqualTo("well again");
        pair.are(BreakerState.CLOSED);
    }

    @Test
    void aCancelledProbeGivesItsLeaseBack() {
        Pair pair = pair(settings());
        pair.trip();
        clock.advance(ofSeconds(10));
        CompletableFuture<String> source = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> result = pair.a.supplyAsync(() -> {
                    started.countDown();
                    return source;
                })
                .toCompletableFuture();
        eventually(() -> assertThat(started.getCount()).isZero());
        assertThat(pair.b.snapshot().probes()).isEqualTo(1);
        result.cancel(true);
        eventually(() -> assertThat(source).isCancelled());
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        eventually(() -> assertThat(pair.b.snapshot().probes()).isZero());
        pair.are(BreakerState.HALF_OPEN);
        eventually(() -> succeed(pair.b));
        pair.are(BreakerState.CLOSED);
    }

    // Keys

    @Test
    void aKeyedBreakerTripsAlone() {
        Node a = node("a");
        Node b = node("b");
        for (Node node : List.of(a, b)) {
            node.registry.breaker(NAME, settings().build());
        }
        Breaker acme = a.registry.breaker(NAME, "acme");
        Breaker acmeOnB = b.registry.breaker(NAME, "acme");
        Breaker other = b.registry.breaker(NAME, "other");
        fail(acme, 2);
        fail(acmeOnB);
        eventually(() -> assertThat(acme.state()).isEqualTo(BreakerState.OPEN));
        assertThat(rejected(acme)).hasMessage("Breaker 'payments:acme' is OPEN; retry in 10s");
        rejected(acmeOnB);
        succeed(other);
        succeed(a.registry.breaker(NAME));
        assertThat(other.snapshot().failures()).isZero();
        assertThat(acme.snapshot().key()).isEqualTo("acme");
        assertThat(acme.snapshot().name()).isEqualTo(NAME);
        eventually(() -> assertThat(a.events.of(BreakerEvent.Transitioned.class))
                .extracting(BreakerEvent.Transitioned::key)
                .containsExactly("acme"));
        assertThat(a.registry.known().toCompletableFuture().join()).containsExactly("payments:acme");
    }

    @Test
    void aChangeOfTheNameHoldsForItsKeysOnEveryNode() {
        Pair pair = pair(settings());
        Breaker before = pair.nodeB.registry.breaker(NAME, "before");
        succeed(before);
        pair.a.configure(BreakerSettings.builder().threshold(1).build());
        eventually(() -> assertThat(before.settings().threshold()).isEqualTo(1));
        Breaker after = pair.nodeB.registry.breaker(NAME, "after");
        for (Breaker breaker : List.of(before, after)) {
            fail(breaker);
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        }

        before.configure(BreakerSettings.builder().threshold(2).build());
        assertThat(before.settings().threshold()).isEqualTo(2);
        pair.b.clearOverrides();
        eventually(() -> assertThat(pair.a.settings().threshold()).isEqualTo(3));
        assertThat(after.settings().threshold()).isEqualTo(3);
        assertThat(before.settings().threshold()).isEqualTo(2);
    }

    @Test
    void tenThousandGreenKeysLeaveNothingInTheStore() {
        Node node = node("a");
        Breaker name = node.registry.breaker(NAME, settings().build());
        for (int i = 0; i < 10_000; i++) {
            succeed(node.registry.breaker(name, "client-" + i));
        }
        assertThat(node.registry.known().toCompletableFuture().join()).isEmpty();
        assertThat(name.totalCalls().succeeded()).isEqualTo(10_000);
    }

    // Bad input

    static Stream<String> awkwardNames() {
        return Stream.of(
                "with space",
                " ",
                "co:lon",
                ":",
                "{braces}",
                "}{",
                "{}",
                "a%7Bb",
                "100%",
                "sl/ash\\back",
                "new\nline\ttab\u0000nul",
                "\"quotes\" and 'apostrophes'",
                "<script>alert(1)</script>",
                "ünïcödé 漢字 \uD83D\uDEA6",
                "lone surrogate \uD83D",
                "*?[a-z]",
                "x".repeat(10_000));
    }

    @ParameterizedTest
    @MethodSource("awkwardNames")
    void anyTextMayBeAKey(String key) {
        Node a = node("a");
        Node b = node("b");
        a.registry.breaker(NAME, settings().build());
        b.registry.breaker(NAME, settings().build());
        Breaker breaker = a.registry.breaker(NAME, key);
        Breaker onB = b.registry.breaker(NAME, key);
        fail(breaker, 2);
        fail(onB);
        eventually(() -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));
        assertThat(a.registry.known().toCompletableFuture().join()).containsExactly(breaker.id());
        assertThat(a.registry.findById(breaker.id())).contains(breaker);
    }

    @ParameterizedTest
    @MethodSource("awkwardNames")
    void anyTextThatIsNotBlankMayBeAName(String name) {
        if (name.isBlank()) {
            return;
        }
        Node a = node("a");
        Node b = node("b");
        Breaker breaker = a.registry.breaker(name, settings().build());
        Breaker onB = b.registry.breaker(name, settings().build());
        fail(breaker, 2);
        fail(onB);
        eventually(() -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));
        assertThat(a.registry.known().toCompletableFuture().join()).containsExactly(breaker.id());
        assertThat(onB.details().recentFailures()).hasSize(3);
        eventually(() -> assertThat(a.events.of(BreakerEvent.Transitioned.class)).hasSize(1));
    }

    @Test
    void namesThatLookAlikeHaveLightsOfTheirOwn() {
        Node node = node("a");
        Set<String> names = new LinkedHashSet<>(List.of("a{b}", "a%7Bb%7D", "a%7bb%7d", "{a}b", "a", "A", "a ", "ä", "a\u0308"));
        for (String name : names) {
            fail(node.registry.breaker(name, settings().build()));
        }
        for (String name : names) {
            assertThat(node.registry.breaker(name).snapshot().failures()).as(name).isEqualTo(1);
        }
        assertThat(node.registry.known().toCompletableFuture().join()).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void aBlankNameOrAnEmptyKeyIsRefused() {
        BreakerRegistry registry = node("a").registry;
        assertThatThrownBy(() -> registry.breaker(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name of a breaker must not be blank, was ' '");
        assertThatThrownBy(() -> registry.breaker(NAME, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key of breaker 'payments' must not be empty");
    }

    @Test
    void anyMessageIsStoredSafelyAndCut() {
        Pair pair = pair(settings().threshold(100));
        List<String> messages = List.of(
                "",
                "\"quotes\" 'apostrophes' \\ back",
                "\u0000\u0001\u001f\u007f\u2028\n\r\t",
                "<b onclick='x()'>&amp;</b>",
                "}{\",\"error\":\"forged",
                "漢字 \uD83D\uDEA6");
        for (String message : messages) {
            fail(pair.a, new IllegalStateException(message));
            assertThat(pair.b.details().recentFailures().get(0).message()).isEqualTo(message);
        }

        fail(pair.a, new IllegalStateException((String) null));
        assertThat(pair.b.details().recentFailures().get(0).message()).isNull();
        fail(pair.a, new IllegalStateException("m".repeat(5_000_000)));
        assertThat(pair.b.details().recentFailures().get(0).message()).isEqualTo("m".repeat(500) + "…");
        fail(pair.a, new IllegalStateException("m".repeat(499) + "\uD83D\uDEA6".repeat(10)));
        assertThat(pair.b.details().recentFailures().get(0).message()).isEqualTo("m".repeat(499) + "…");
        assertThat(pair.a.snapshot().failures()).isEqualTo(messages.size() + 3);
    }

    @Test
    void anExceptionWhoseMessageCannotBeReadCountsAllTheSame() {
        Pair pair = pair(settings());
        fail(pair.a, new Unreadable(new IllegalStateException("no message"), null));
        assertThat(pair.b.details().recentFailures().get(0).message()).contains("could not be read", "IllegalStateException");

        Unreadable unreadable = new Unreadable(null, new StackOverflowError());
        CompletableFuture<Object> later = pair.a.supplyAsync(() -> {
            throw unreadable;
        }).toCompletableFuture();
        assertThat(later.<Throwable>handle((value, thrown) -> thrown).join() == unreadable).as("the caller gets it as it is").isTrue();
        assertThat(pair.b.details().recentFailures().get(0).message()).contains("could not be read", "StackOverflowError");
    }

    private static final class Unreadable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final RuntimeException exception;
        private final Error error;

        Unreadable(RuntimeException exception, Error error) {
            this.exception = exception;
            this.error = error;
        }

        @Override
        public String getMessage() {
            if (exception != null) {
                throw exception;
            }
            throw error;
        }
    }

    @Test
    void findNeverCreates() {
        Node node = node("a");
        assertThat(node.registry.find(NAME)).isEqualTo(Optional.empty());
        assertThat(node.registry.find(NAME, "key")).isEmpty();
        assertThat(node.registry.findById("payments:key")).isEmpty();
        assertThat(node.registry.breakers()).isEmpty();
        assertThat(node.store.requests()).isEmpty();
        node.registry.breaker(NAME);
        assertThat(node.store.requests()).singleElement().satisfies(request -> assertThat(request.command()).isEqualTo(new StoreCommand.Read(false)));
    }
}
