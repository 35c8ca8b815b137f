package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.Calls;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.testing.SlowStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When calls that were counted here are sent to the store. */
final class CountedCallsTest {

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore memory = new MemoryBreakerStore(clock);

    private static BreakerSettings.Builder rate() {
        return BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(20).failureRate(0.5).coolOff(Duration.ofSeconds(10));
    }

    private Node node(BreakerStore store) {
        return new Node("a", store, clock);
    }

    private static Breaker breaker(Node node, BreakerSettings.Builder settings) {
        Breaker breaker = node.registry.breaker("payments", settings.build());
        node.store.forgetRequests();
        return breaker;
    }

    private static List<StoreCommand> commands(Node node) {
        return node.store.requests().stream().map(StoreRequest::command).toList();
    }

    private static void succeed(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            breaker.run(() -> {});
        }
    }

    private static void fail(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(() -> breaker.run(() -> {
                        throw new IllegalStateException("boom");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void successesAreGatheredUntilTheFlush() {
        Node node = node(memory);
        Breaker breaker = breaker(node, rate());
        succeed(breaker, 100);
        assertThat(commands(node)).isEmpty();
        node.registry.flush();
        assertThat(commands(node)).containsExactly(new StoreCommand.Count(0, new Calls(100, 0)));
        node.registry.flush();
        assertThat(commands(node)).hasSize(1);
    }

    @Test
    void aFailureTakesAlongWhatWasCounted() {
        Node node = node(memory);
        Breaker breaker = breaker(node, rate());
        succeed(breaker, 7);
        fail(breaker, 1);
        assertThat(commands(node)).singleElement().isInstanceOfSatisfying(StoreCommand.Record.class, sent ->
                assertThat(sent.counted()).isEqualTo(new Calls(7, 0)));
    }

    @Test
    void theCallThatCompletesTheMinimumTripsEvenAsASuccess() {
        for (BreakerStore store : List.of(memory, new SlowStore(new MemoryBreakerStore(clock)))) {
            Node node = node(store);
            Breaker breaker = breaker(node, rate());
            fail(breaker, 10);
            succeed(breaker, 9);
            assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
            succeed(breaker, 1);
            assertThat(breaker.state()).as(store.getClass().getSimpleName()).isEqualTo(BreakerState.OPEN);
        }
    }

    @Test
    void successesAreSentAtOnceOnlyWhileTheyCouldTrip() {
        Node node = node(memory);
        Breaker breaker = breaker(node, rate());
        fail(breaker, 9);
        succeed(breaker, 3);
        assertThat(commands(node)).hasSize(9);
        fail(breaker, 1);
        assertThat(commands(node)).hasSize(10);
        succeed(breaker, 3);
        assertThat(commands(node)).hasSize(13);
    }

    @Test
    void nobodyWaitsForASuccessToBeSentOverANetwork() {
        SlowStore slow = new SlowStore(memory);
        Node node = node(slow);
        Breaker breaker = breaker(node, rate());
        fail(breaker, 10);
        slow.holdAnswers();
        slow.holdMessages();
        succeed(breaker, 10);
        assertThat(slow.heldAnswers()).isEqualTo(10);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        slow.deliverEverything();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void latencyIsGatheredOverANetworkAndSentAtOnceInMemory() {
        BreakerSettings.Builder settings =
                BreakerSettings.builder().maxAverageLatency(Duration.ofMillis(100)).minimumCalls(3).coolOff(Duration.ofSeconds(10));
        Node local = node(memory);
        Breaker immediate = breaker(local, settings);
        Node remote = node(new SlowStore(new MemoryBreakerStore(clock)));
        Breaker gathered = breaker(remote, settings);
        for (int i = 0; i < 3; i++) {
            immediate.run(() -> clock.advance(Duration.ofMillis(150)));
            gathered.run(() -> clock.advance(Duration.ofMillis(150)));
        }
        assertThat(immediate.state()).isEqualTo(BreakerState.OPEN);
        assertThat(gathered.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(commands(remote)).isEmpty();
        remote.registry.flush();
        assertThat(commands(remote)).containsExactly(new StoreCommand.Count(0, new Calls(3, 450_000)));
        assertThat(gathered.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void callsCountedBeforeATripAreNotSentAfterIt() {
        Node node = node(memory);
        Breaker breaker = breaker(node, rate());
        Breaker other = new Node("b", memory, clock).registry.breaker("payments", rate().build());
        succeed(breaker, 5);
        fail(other, 20);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        node.registry.flush();
        assertThat(commands(node)).isEmpty();
    }

    @Test
    void aSnapshotCountsWhatHasNotBeenSentYet() {
        Node node = node(memory);
        Breaker breaker = breaker(node, rate());
        succeed(breaker, 19);
        breaker.snapshot();
        assertThat(commands(node).get(0)).isEqualTo(new StoreCommand.Count(0, new Calls(19, 0)));
    }

    @Test
    void aModeChangedAtRunTimeCountsFromTheNextCallOn() {
        Node node = node(memory);
        Breaker breaker = breaker(node, BreakerSettings.builder().threshold(3));
        succeed(breaker, 50);
        breaker.configure(rate().build());
        succeed(breaker, 10);
        fail(breaker, 9);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        fail(breaker, 1);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }
}
