package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.SlowStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers and messages that come late, or overtake each other. */
final class RepliesOutOfOrderTest {

    private static final Duration SOON = Duration.ofSeconds(5);
    private static final BreakerSettings SETTINGS =
            BreakerSettings.builder().threshold(3).coolOff(Duration.ofSeconds(10)).build();

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore shared = new MemoryBreakerStore(clock);
    private final SlowStore store = new SlowStore(shared);
    private final Node node = new Node("a", store, clock);
    private final Breaker elsewhere = new Node("b", shared, clock).registry.breaker("payments", SETTINGS);

    private Breaker breaker() {
        return node.registry.breaker("payments", SETTINGS);
    }

    private static CompletableFuture<Void> fail(Breaker breaker) {
        return breaker.acquire().failAsync(new IllegalStateException("boom")).toCompletableFuture();
    }

    @Test
    void anOlderAnswerDoesNotUndoALaterOne() {
        Breaker breaker = breaker();
        store.holdAnswers();
        store.holdMessages();
        fail(breaker);
        fail(breaker);
        fail(breaker);
        store.deliverAnswer(2);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        store.deliverAnswer(1);
        store.deliverAnswer(0);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        store.deliverEverything();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events.states()).containsExactly(BreakerState.OPEN));
    }

    @Test
    void aMessageOvertakenByThoseThatFollowedIsToldButChangesNothing() {
        Breaker breaker = breaker();
        store.holdMessages();
        for (int i = 0; i < 3; i++) {
            fail(elsewhere);
        }
        elsewhere.reset();
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        store.deliverEverything();
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events.states()).containsExactly(BreakerState.OPEN, BreakerState.CLOSED));
    }

    @Test
    void changedSettingsAreNotLostWhenALaterAnswerOvertakesThem() {
        Breaker breaker = breaker();
        store.holdMessages();
        elsewhere.configure(BreakerSettings.builder().threshold(9).build());
        fail(breaker);
        assertThat(breaker.settings().threshold()).isEqualTo(3);
        store.deliverMessages();
        assertThat(breaker.settings().threshold()).isEqualTo(9);
        assertThat(breaker.lastSeen().failures()).isEqualTo(1);
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events.of(BreakerEvent.SettingsChanged.class)).hasSize(1));
    }

    @Test
    void changedSettingsThatComeLateDoNotUndoLaterOnes() {
        Breaker breaker = breaker();
        store.holdMessages();
        elsewhere.configure(BreakerSettings.builder().threshold(9).build());
        elsewhere.configure(BreakerSettings.builder().threshold(8).build());
        breaker.snapshot();
        assertThat(breaker.settings().threshold()).isEqualTo(8);
        store.deliverMessages();
        assertThat(breaker.settings().threshold()).isEqualTo(8);
    }

    @Test
    void changedSettingsThatComeLateLeaveTheCoolOffAsItIs() {
        Breaker breaker = breaker();
        store.holdMessages();
        elsewhere.configure(BreakerSettings.builder().slowCall(Duration.ofSeconds(1)).build());
        for (int i = 0; i < 3; i++) {
            fail(breaker);
        }
        clock.advance(Duration.ofSeconds(4));
        store.deliverMessages();
        assertThat(breaker.settings().slowCall()).contains(Duration.ofSeconds(1));
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        assertThat(breaker.lastSeen().retryAfter()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void messagesBeforeTheFirstReadingAreKeptForAfterIt() {
        store.holdAnswers();
        Breaker breaker = breaker();
        elsewhere.configure(BreakerSettings.builder().threshold(1).build());
        fail(elsewhere);
        assertThat(breaker.settings().threshold()).isEqualTo(3);
        store.deliverEverything();
        assertThat(breaker.settings().threshold()).isEqualTo(1);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events.states()).containsExactly(BreakerState.OPEN));
    }

    @Test
    void aBreakerForgottenDuringItsFirstReadingLeavesNobodyWaiting() {
        store.holdAnswers();
        Breaker breaker = breaker();
        CompletableFuture<Permit> early = breaker.acquireAsync().toCompletableFuture();
        elsewhere.forget();
        CompletableFuture<Permit> late = breaker.acquireAsync().toCompletableFuture();
        assertThat(early).isNotDone();
        assertThat(late).isNotDone();
        store.deliverEverything();
        assertThat(early).succeedsWithin(SOON);
        assertThat(late).succeedsWithin(SOON);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aReadingFromBeforeItWasForgottenDoesNotBringTheOldLightBack() {
        elsewhere.lock(BreakerLock.OPEN);
        store.holdAnswers();
        Breaker breaker = breaker();
        CompletableFuture<Permit> early = breaker.acquireAsync().toCompletableFuture();
        elsewhere.forget();
        breaker.revive();
        store.deliverAnswer(0);
        assertThat(early).isNotDone();
        store.deliverEverything();
        assertThat(early).succeedsWithin(SOON);
        assertThat(breaker.lastSeen().lock()).isNull();
    }

    @Test
    void anAnswerToACallFromBeforeItWasForgottenDoesNotBringTheOldLightBack() {
        Breaker breaker = breaker();
        store.holdAnswers();
        CompletableFuture<Void> failed = fail(breaker);
        elsewhere.forget();
        store.deliverEverything();
        assertThat(failed).succeedsWithin(SOON);
        assertThat(node.registry.find("payments")).isEmpty();
        breaker.run(() -> {});
        assertThat(breaker.lastSeen().failures()).isZero();
        assertThat(node.registry.find("payments")).contains(breaker);
    }

    @Test
    void aProbeGrantedWhileTheLightWasResetIsRunAndSettlesNothing() {
        Breaker breaker = breaker();
        for (int i = 0; i < 3; i++) {
            fail(breaker);
        }
        clock.advance(Duration.ofSeconds(10));
        store.holdAnswers();
        CompletableFuture<Permit> probe = breaker.acquireAsync().toCompletableFuture();
        elsewhere.reset();
        store.deliverEverything();
        assertThat(probe).succeedsWithin(SOON);
        probe.join().fail(new IllegalStateException("boom"));
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        assertThat(breaker.snapshot().failures()).isZero();
    }

    @Test
    void aLostMessageIsMadeUpForByTheNextFailuresAnswer() {
        Breaker breaker = breaker();
        store.holdMessages();
        for (int i = 0; i < 3; i++) {
            fail(elsewhere);
        }
        assertThat(breaker.supply(() -> "not heard of it yet")).isEqualTo("not heard of it yet");
        fail(breaker);
        assertThatThrownBy(breaker::acquire).isInstanceOf(CircuitOpenException.class);
    }

    @Test
    void oneCommandClearsAStreakHoweverManyCallsSucceed() {
        Breaker breaker = breaker();
        fail(breaker);
        store.holdAnswers();
        node.store.forgetRequests();
        for (int i = 0; i < 100; i++) {
            breaker.run(() -> {});
        }
        assertThat(node.store.requests()).hasSize(1);
        store.deliverEverything();
        assertThat(breaker.snapshot().failures()).isZero();
    }
}
