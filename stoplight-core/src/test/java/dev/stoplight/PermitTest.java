package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class PermitTest {

    private final TestClock clock = new TestClock();
    private final Node node = new Node("a", new MemoryBreakerStore(clock), clock);
    private final Breaker breaker = node.registry.breaker(
            "payments",
            BreakerSettings.builder().threshold(3).coolOff(Duration.ofSeconds(10)).probeTimeout(Duration.ofSeconds(5)).build());

    @Test
    void aFailureNeedsAnException() {
        Permit permit = breaker.acquire();
        assertThatThrownBy(() -> permit.fail(null)).isInstanceOf(NullPointerException.class).hasMessage("thrown");
        permit.fail(new IllegalStateException("boom"));
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
    }

    @Test
    void aPermitThatFailsTwiceCountsOnce() {
        Permit permit = breaker.acquire();
        permit.fail(new IllegalStateException("once"));
        permit.fail(new IllegalStateException("twice"));
        permit.succeed();
        permit.release();
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 1, 0, 0, 0));
    }

    @Test
    void aPermitThatSucceededCannotFailLater() {
        Permit permit = breaker.acquire();
        permit.succeed();
        permit.fail(new IllegalStateException("too late"));
        assertThat(breaker.snapshot().failures()).isZero();
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(1, 0, 0, 0, 0));
    }

    @Test
    void aReleasedPermitCountsAsNothing() {
        Permit permit = breaker.acquire();
        permit.release();
        permit.fail(new IllegalStateException("too late"));
        assertThat(breaker.snapshot().failures()).isZero();
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 0, 0, 0, 0));
    }

    @Test
    void anAsynchronousCallWithAPermitStartsOnThisThreadAndSettlesItWhenItCompletes() {
        CompletableFuture<String> source = new CompletableFuture<>();
        AtomicReference<Thread> starter = new AtomicReference<>();
        CompletionStage<String> result = breaker.acquire().supplyAsync(() -> {
            starter.set(Thread.currentThread());
            return source;
        });
        assertThat(starter).hasValue(Thread.currentThread());
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 0, 0, 0, 0));
        source.completeExceptionally(new IllegalStateException("down"));
        assertThat(result).isCompletedExceptionally();
        assertThat(breaker.calls()).isEqualTo(new BreakerCalls(0, 1, 0, 0, 0));
    }

    @Test
    void permitsNeverSettledOnAGreenLightBlockNobody() {
        for (int i = 0; i < 1000; i++) {
            breaker.acquire();
        }
        assertThat(breaker.supply(() -> "value")).isEqualTo("value");
        assertThat(breaker.snapshot().failures()).isZero();
    }

    @Test
    void aProbeNeverSettledCannotWedgeTheBreaker() {
        trip();
        clock.advance(Duration.ofSeconds(10));
        breaker.acquire();
        assertThatThrownBy(breaker::acquire).isInstanceOf(CircuitOpenException.class);
        clock.advance(Duration.ofSeconds(5));
        breaker.acquire().succeed();
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aReleasedProbeIsFreeAtOnce() {
        trip();
        clock.advance(Duration.ofSeconds(10));
        breaker.acquire().release();
        breaker.acquire().succeed();
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aPermitMeasuresFromWhenItWasGiven() {
        breaker.configure(BreakerSettings.builder().slowCall(Duration.ofSeconds(1)).build());
        Permit permit = breaker.acquire();
        clock.advance(Duration.ofSeconds(1));
        permit.succeed();
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
        assertThat(breaker.calls().slow()).isEqualTo(1);
    }

    private void trip() {
        for (int i = 0; i < 3; i++) {
            breaker.acquire().fail(new IllegalStateException("down"));
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }
}
