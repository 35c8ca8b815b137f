package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.store.MemoryBreakerStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A breaker that is looked at without being used, and what is seen without asking. */
class BreakerHandleTests {

    private final AtomicLong nanos = new AtomicLong();
    private final MemoryBreakerStore store = new MemoryBreakerStore(() -> 1_000_000_000L + nanos.get() / 1000);
    private final BreakerRegistry here = registry();
    private final BreakerRegistry elsewhere = registry();

    private BreakerRegistry registry() {
        return BreakerRegistry.builder()
                .store(store)
                .ticker(nanos::get)
                .defaults(BreakerSettings.builder().threshold(1).coolOff(Duration.ofSeconds(10)).build())
                .build();
    }

    @Test
    void keyUsedOnlyElsewhereCanBeReadAndChangedHere() {
        here.breaker("payments");
        Breaker used = elsewhere.breaker("payments", "acme");
        fail(used);

        Breaker handle = here.handle("payments:acme");

        assertThat(handle.name()).isEqualTo("payments");
        assertThat(handle.key()).isEqualTo("acme");
        assertThat(handle.snapshot().state()).isEqualTo(BreakerState.OPEN);
        assertThat(handle.details().recentFailures()).hasSize(1);
        handle.lock(BreakerLock.CLOSED);
        assertThat(used.lastSeen().lock()).isEqualTo(BreakerLock.CLOSED);
        handle.forget();
        assertThat(store.known().toCompletableFuture().join()).doesNotContain("payments:acme");
    }

    @Test
    void handleCreatesNothing() {
        here.breaker("payments");

        here.handle("payments:acme").snapshot();
        here.handle("nobody").snapshot();

        assertThat(here.breakers()).extracting(Breaker::id).containsExactly("payments");
        assertThat(here.known().toCompletableFuture().join()).isEmpty();
    }

    @Test
    void storeTellsOfNoMoreBreakersThanItIsAskedFor() {
        for (int i = 0; i < 5; i++) {
            fail(here.breaker("payments", "client-" + i));
        }

        assertThat(here.known(3).toCompletableFuture().join()).hasSize(3);
        assertThat(here.known(10).toCompletableFuture().join()).hasSize(5);
    }

    @Test
    void handleOfBreakerInUseIsThatBreaker() {
        Breaker used = here.breaker("payments", "acme");

        assertThat(here.handle("payments:acme")).isSameAs(used);
    }

    @Test
    void lastSeenTurnsYellowWhenTheCoolOffIsOver() {
        Breaker breaker = here.breaker("payments");
        fail(breaker);

        assertThat(breaker.lastSeen().state()).isEqualTo(BreakerState.OPEN);
        assertThat(breaker.lastSeen().retryAfter()).isEqualTo(Duration.ofSeconds(10));
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(breaker.lastSeen().state()).isEqualTo(BreakerState.HALF_OPEN);
        assertThat(breaker.lastSeen().retryAfter()).isZero();
    }

    private static void fail(Breaker breaker) {
        assertThatIllegalStateException().isThrownBy(() -> breaker.run(() -> {
            throw new IllegalStateException("down");
        }));
    }
}
