package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.RecordedEvents;
import dev.stoplight.testing.TestClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class KeyedBreakersTest {

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private final RecordedEvents events = new RecordedEvents();
    private final BreakerRegistry registry = builder("a").listener(events).build();
    private final BreakerRegistry elsewhere = builder("b").build();

    private BreakerRegistry.Builder builder(String instance) {
        return BreakerRegistry.builder()
                .store(store)
                .instance(instance)
                .ticker(clock)
                .flushInterval(Duration.ZERO)
                .maxIdle(Duration.ofMinutes(10))
                .maxKeys(100)
                .defaults(BreakerSettings.builder().threshold(2).coolOff(Duration.ofSeconds(10)).build());
    }

    private static void fail(Breaker breaker) {
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw new IllegalStateException("boom");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aKeyHasOneBreaker() {
        Breaker acme = registry.breaker("payments", "acme");
        assertThat(registry.breaker("payments", "acme")).isSameAs(acme);
        assertThat(registry.breaker(registry.breaker("payments"), "acme")).isSameAs(acme);
        assertThat(registry.breaker("payments", "other")).isNotSameAs(acme);
        assertThat(registry.breaker("refunds", "acme")).isNotSameAs(acme);
        assertThat(acme.id()).isEqualTo("payments:acme");
        assertThat(acme).hasToString("Breaker 'payments:acme' (CLOSED)");
    }

    @Test
    void findFindsWhatIsInUseAndNeverCreates() {
        Breaker acme = registry.breaker("payments", "acme:eu:1");
        assertThat(registry.find("payments", "acme:eu:1")).contains(acme);
        assertThat(registry.findById("payments:acme:eu:1")).contains(acme);
        assertThat(registry.findById("payments")).contains(registry.breaker("payments"));
        assertThat(registry.find("payments", "other")).isEmpty();
        assertThat(registry.findById("payments:other")).isEmpty();
        assertThat(registry.findById(":")).isEmpty();
        assertThat(registry.findById("")).isEmpty();
        assertThat(registry.breakers()).containsExactlyInAnyOrder(registry.breaker("payments"), acme);
    }

    @Test
    void aKeyUnusedForTooLongIsForgottenHere() {
        registry.breaker("payments", "used");
        registry.breaker("payments", "idle");
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofMinutes(5));
            registry.breaker("payments", "used");
            // Looking is not using.
            registry.find("payments", "idle");
        }
        assertThat(registry.find("payments", "used")).isPresent();
        assertThat(registry.find("payments", "idle")).isEmpty();
        assertThat(registry.breakers()).extracting(Breaker::id).containsExactlyInAnyOrder("payments", "payments:used");
        assertThat(events.of(BreakerEvent.Forgotten.class)).isEmpty();
    }

    @Test
    void anIdleKeyLeavesMemory() {
        WeakReference<Breaker> idle = new WeakReference<>(registry.breaker("payments", "idle"));
        clock.advance(Duration.ofMinutes(11));
        registry.breaker("payments", "another");
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10)).until(() -> {
            System.gc();
            return idle.get() == null;
        });
    }

    @Test
    void aBreakerThatSomeoneHoldsHearsOfChangesHoweverLongItWasIdle() {
        Breaker held = registry.breaker("payments", "held");
        held.run(() -> {});
        clock.advance(Duration.ofHours(1));
        registry.breaker("payments", "another");
        assertThat(registry.find("payments", "held")).isEmpty();

        elsewhere.breaker("payments", "held").lock(BreakerLock.OPEN);
        assertThatThrownBy(() -> held.run(() -> {})).isInstanceOf(CircuitOpenException.class);
        assertThat(registry.breaker("payments", "held")).isSameAs(held);
    }

    @Test
    void aKeyThatComesBackFindsItsLight() {
        Breaker breaker = registry.breaker("payments", "acme");
        fail(breaker);
        fail(breaker);
        registry.breaker("payments", "acme").lock(BreakerLock.OPEN);
        clock.advance(Duration.ofHours(1));
        assertThatThrownBy(() -> registry.breaker("payments", "acme").run(() -> {})).isInstanceOf(CircuitOpenException.class);
    }

    @Test
    void onlySoManyKeysAreRemembered() {
        IntStream.range(0, 10_000).forEach(i -> registry.breaker("payments", "client-" + i).run(() -> {}));
        assertThat(registry.breakers().filter(breaker -> breaker.key() != null).count()).isLessThanOrEqualTo(100);
        assertThat(registry.breaker("payments").totalCalls().succeeded()).isEqualTo(10_000);
    }

    @Test
    void callsOfKeysAddUpUnderTheirName() {
        Breaker name = registry.breaker("payments");
        name.run(() -> {});
        Breaker acme = registry.breaker("payments", "acme");
        acme.run(() -> {});
        fail(acme);
        fail(acme);
        assertThatThrownBy(() -> acme.run(() -> {})).isInstanceOf(CircuitOpenException.class);
        assertThat(acme.calls()).isEqualTo(new BreakerCalls(1, 2, 0, 0, 1));
        assertThat(name.calls()).isEqualTo(new BreakerCalls(1, 0, 0, 0, 0));
        assertThat(name.totalCalls()).isEqualTo(new BreakerCalls(2, 2, 0, 0, 1));
        assertThat(registry.breaker("refunds").totalCalls()).isEqualTo(new BreakerCalls(0, 0, 0, 0, 0));
    }

    @Test
    void aChangeOfTheNameHoldsForItsKeysButNotForOthers() {
        Breaker before = registry.breaker("payments", "before");
        Breaker other = registry.breaker("refunds", "before");
        elsewhere.breaker("payments").configure(BreakerSettings.builder().threshold(1).ignoreExceptions(IllegalArgumentException.class).build());
        Breaker after = registry.breaker("payments", "after");
        assertThat(before.settings().threshold()).isEqualTo(1);
        assertThat(after.settings().threshold()).isEqualTo(1);
        assertThat(after.overrides()).isEqualTo(BreakerSettings.builtIn());
        assertThat(other.settings().threshold()).isEqualTo(2);

        fail(before);
        assertThat(before.state()).isEqualTo(BreakerState.OPEN);
        fail(other);
        assertThat(other.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aChangeOfAKeyBeatsThatOfItsName() {
        Breaker acme = registry.breaker("payments", "acme");
        acme.configure(BreakerSettings.builder().threshold(5).build());
        registry.breaker("payments").configure(BreakerSettings.builder().threshold(1).build());
        assertThat(acme.settings().threshold()).isEqualTo(5);
        acme.clearOverrides();
        assertThat(acme.settings().threshold()).isEqualTo(1);
    }

    @Test
    void aKeySwitchedToRateByItsNameCountsCalls() {
        Breaker acme = registry.breaker("payments", "acme");
        acme.run(() -> {});
        registry.breaker("payments").configure(
                BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(4).failureRate(0.5).build());
        Breaker other = registry.breaker("payments", "other");
        for (Breaker breaker : new Breaker[] {acme, other}) {
            breaker.run(() -> {});
            breaker.run(() -> {});
            fail(breaker);
            assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
            fail(breaker);
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        }
    }

    @Test
    void aForgottenKeyIsGoneAndItsNextCallStartsAnew() {
        Breaker acme = registry.breaker("payments", "acme");
        Breaker there = elsewhere.breaker("payments", "acme");
        fail(acme);
        fail(acme);
        there.forget();
        assertThat(registry.find("payments", "acme")).isEmpty();
        assertThat(events.of(BreakerEvent.Forgotten.class)).containsExactly(new BreakerEvent.Forgotten("payments", "acme"));
        assertThat(store.known().toCompletableFuture().join()).isEmpty();

        assertThat(registry.breaker("payments", "acme")).isSameAs(acme);
        acme.run(() -> {});
        there.run(() -> {});
        assertThat(registry.find("payments", "acme")).contains(acme);
        assertThat(acme.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aNameWithAColonAndAKeyOfTheSameIdShareTheirLightAndBothHearOfIt() {
        Breaker key = registry.breaker("a", "b:c");
        Breaker name = registry.breaker("a:b:c");
        Breaker other = registry.breaker("a:b", "c");
        elsewhere.breaker("a:b:c").lock(BreakerLock.OPEN);
        for (Breaker breaker : new Breaker[] {key, name, other}) {
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        }
    }

    @Test
    void anIdleKeyLeavesMemoryThoughNoOtherIsUsed() {
        try (BreakerRegistry flushing = builder("c").flushInterval(Duration.ofMillis(1)).build()) {
            WeakReference<Breaker> idle = new WeakReference<>(flushing.breaker("payments", "idle"));
            clock.advance(Duration.ofMinutes(11));
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10)).until(() -> {
                System.gc();
                return idle.get() == null;
            });
        }
    }

    @Test
    void whenANameIsForgottenSoAreItsChangedSettingsForItsKeys() {
        Breaker name = registry.breaker("payments");
        Breaker acme = registry.breaker(name, "acme");
        name.configure(BreakerSettings.builder().enabled(false).build());
        assertThat(acme.settings().enabled()).isFalse();
        name.forget();
        assertThat(acme.settings().enabled()).isTrue();
    }

    @Test
    void aForgottenNameComesBackWithItsKeys() {
        Breaker name = registry.breaker("payments");
        Breaker acme = registry.breaker(name, "acme");
        name.forget();
        assertThat(registry.find("payments")).isEmpty();
        assertThat(registry.breaker(name, "acme")).isSameAs(acme);
        assertThat(registry.find("payments")).contains(name);
        name.configure(BreakerSettings.builder().threshold(1).build());
        assertThat(acme.settings().threshold()).isEqualTo(1);
    }

    @Test
    void callsOfAKeyAreCountedByWhatWasChangedForItsName() {
        Breaker acme = registry.breaker("payments", "acme");
        registry.breaker("payments").configure(BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(4).build());
        acme.run(() -> {});
        acme.run(() -> {});
        registry.flush();
        fail(acme);
        assertThat(acme.state()).isEqualTo(BreakerState.CLOSED);
        fail(acme);
        assertThat(acme.state()).isEqualTo(BreakerState.OPEN);
    }
}
