package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.testing.ForwardingStore;
import dev.stoplight.testing.RecordingStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class BreakerRegistryTest {

    private static final BreakerSettings RATE =
            BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(100).build();

    @Test
    void aRegistryInMemoryNeedsNothing() {
        try (BreakerRegistry registry = BreakerRegistry.inMemory()) {
            assertThat(registry.breaker("payments").supply(() -> "value")).isEqualTo("value");
            assertThat(registry.storeType()).isEqualTo("memory");
            assertThat(registry.storeStatus().up()).isTrue();
            assertThat(registry.instance()).isNotBlank();
            assertThat(BreakerRegistry.inMemory().instance()).isNotEqualTo(registry.instance());
        }
    }

    @Test
    void settingsOfACallBeatThoseOfTheNameAndThoseBeatTheDefaults() {
        BreakerRegistry registry = BreakerRegistry.builder()
                .defaults(BreakerSettings.builder().threshold(10).window(Duration.ofSeconds(10)).coolOff(Duration.ofSeconds(10)).build())
                .settings(name -> name.equals("payments")
                        ? BreakerSettings.builder().threshold(20).window(Duration.ofSeconds(20)).build()
                        : BreakerSettings.builtIn())
                .build();
        BreakerSettings payments = registry.breaker("payments", BreakerSettings.builder().threshold(30).build()).settings();
        assertThat(payments.threshold()).isEqualTo(30);
        assertThat(payments.window()).isEqualTo(Duration.ofSeconds(20));
        assertThat(payments.coolOff()).isEqualTo(Duration.ofSeconds(10));
        assertThat(registry.breaker("refunds").settings().threshold()).isEqualTo(10);
    }

    @Test
    void theUseThatCreatesABreakerDecidesItsSettings() {
        BreakerRegistry registry = BreakerRegistry.inMemory();
        Breaker first = registry.breaker("payments", BreakerSettings.builder().threshold(7).build());
        assertThat(registry.breaker("payments", BreakerSettings.builder().threshold(9).build())).isSameAs(first);
        assertThat(registry.breaker("payments")).isSameAs(first);
        assertThat(first.settings().threshold()).isEqualTo(7);
    }

    @Test
    void nonsenseIsRefused() {
        BreakerRegistry.Builder builder = BreakerRegistry.builder();
        assertThatIllegalArgumentException().isThrownBy(() -> builder.instance(" ")).withMessage("instance must not be blank, was ' '");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.flushInterval(Duration.ofMillis(-1)))
                .withMessage("flushInterval must be 0 or at least 1ms, was PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.flushInterval(Duration.ofNanos(500_000)))
                .withMessage("flushInterval must be 0 or at least 1ms, was PT0.0005S");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxIdle(Duration.ZERO)).withMessage("maxIdle must be positive, was PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxKeys(0)).withMessage("maxKeys must be at least 1, was 0");
    }

    @Test
    void countedCallsAreSentEveryFlushIntervalAndWhenTheRegistryIsClosed() {
        TestClock clock = new TestClock();
        RecordingStore store = new RecordingStore(new MemoryBreakerStore(clock));
        BreakerRegistry registry = BreakerRegistry.builder().store(store).defaults(RATE).flushInterval(Duration.ofMillis(1)).build();
        Breaker breaker = registry.breaker("payments");
        breaker.run(() -> {});
        breaker.run(() -> {});
        await().untilAsserted(() -> assertThat(counted(store)).isEqualTo(2));

        registry.close();
        store.forgetRequests();
        try (BreakerRegistry other = BreakerRegistry.builder().store(store).defaults(RATE).flushInterval(Duration.ZERO).build()) {
            other.breaker("payments").run(() -> {});
            other.breaker("payments", "acme").run(() -> {});
            assertThat(counted(store)).isZero();
        }
        assertThat(counted(store)).isEqualTo(2);
    }

    private static long counted(RecordingStore store) {
        return store.requests().stream()
                .map(request -> request.command())
                .filter(StoreCommand.Count.class::isInstance)
                .mapToLong(command -> ((StoreCommand.Count) command).counted().calls())
                .sum();
    }

    @Test
    void closingTwiceIsHarmless() {
        List<String> closed = new ArrayList<>();
        TestClock clock = new TestClock();
        Node node = new Node("a", new MemoryBreakerStore(clock), clock);
        node.registry.breaker("payments").run(() -> closed.add("used"));
        node.close();
        node.close();
        assertThat(closed).containsExactly("used");
    }

    @Test
    void aStoreThatThrowsHarmsNoCaller() {
        TestClock clock = new TestClock();
        BreakerRegistry registry = BreakerRegistry.builder()
                .store(new ForwardingStore(new MemoryBreakerStore(clock)) {
                    @Override
                    public CompletionStage<StoreReply> execute(StoreRequest request) {
                        throw new IllegalStateException("a store that throws, as this test wants");
                    }
                })
                .ticker(clock)
                .flushInterval(Duration.ZERO)
                .build();
        Breaker breaker = registry.breaker("payments");
        assertThat(breaker.supply(() -> "value")).isEqualTo("value");
        IllegalStateException boom = new IllegalStateException("boom");
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw boom;
                }))
                .isSameAs(boom);
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        assertThatThrownBy(() -> breaker.lock(BreakerLock.OPEN)).hasMessage("a store that throws, as this test wants");
    }
}
