package dev.stoplight.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class MemoryBreakerStoreTest {

    private static final int KEYS = 100_000;

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private final BreakerSettings settings =
            BreakerSettings.builder().threshold(2).window(Duration.ofSeconds(60)).coolOff(Duration.ofSeconds(10)).build();
    private int calls;

    private StoreReply send(String id, StoreCommand command) {
        return store.execute(new StoreRequest(id, "a", settings, command)).toCompletableFuture().join();
    }

    private StoreReply fail(String id) {
        return send(id, new StoreCommand.Record(0, new Failure("call-" + calls++, "java.io.IOException", "boom", 0), Calls.NONE));
    }

    private Set<String> known() {
        return store.known().toCompletableFuture().join();
    }

    @Test
    void askingAboutGreenLightsLeavesNothingBehind() {
        for (int i = 0; i < KEYS; i++) {
            String id = "payments:" + i;
            send(id, new StoreCommand.Read(true));
            send(id, new StoreCommand.Clear(0));
            send(id, new StoreCommand.Acquire("lease"));
            send(id, new StoreCommand.Settle(0, "lease", StoreCommand.Verdict.SUCCESS, null));
            send(id, new StoreCommand.Forget());
        }
        assertThat(store.size()).isZero();
    }

    @Test
    void keysThatFailedOnceLeaveNothingBehindWhenTheirWindowIsOver() {
        for (int i = 0; i < KEYS; i++) {
            fail("payments:" + i);
        }
        assertThat(store.size()).isEqualTo(KEYS);
        clock.advance(Duration.ofMinutes(2));
        fail("payments:last");
        assertThat(store.size()).isEqualTo(1);
        assertThat(known()).containsExactly("payments:last");
    }

    @Test
    void keysThatComeOneAfterAnotherNeverPileUp() {
        int most = 0;
        for (int i = 0; i < KEYS; i++) {
            fail("payments:" + i);
            clock.advance(Duration.ofMillis(100));
            most = Math.max(most, store.size());
        }
        // At 600 a window there are never many more than two windows' worth.
        assertThat(most).isLessThan(2_000);
    }

    @Test
    void aClosedLightsEpochAndHistoryOutliveItsFailures() {
        fail("payments");
        fail("payments");
        clock.advance(Duration.ofSeconds(10));
        long epoch = send("payments", new StoreCommand.Acquire("lease")).light().epoch();
        send("payments", new StoreCommand.Settle(epoch, "lease", StoreCommand.Verdict.SUCCESS, null));
        clock.advance(Duration.ofDays(6));
        assertThat(known()).containsExactly("payments");
        assertThat(send("payments", new StoreCommand.Read(true)).details().transitions()).hasSize(3);
        clock.advance(Duration.ofDays(2));
        assertThat(known()).isEmpty();
    }

    @Test
    void whatAnOperatorSetStaysForEver() {
        send("locked", new StoreCommand.Lock(BreakerLock.OPEN));
        send("changed", new StoreCommand.Configure(Map.of("threshold", "9"), false));
        clock.advance(Duration.ofDays(400));
        assertThat(known()).containsExactly("changed", "locked");
        assertThat(send("locked", new StoreCommand.Read(false)).light().lock()).isEqualTo(BreakerLock.OPEN);
    }

    @Test
    void aRedLightThatNobodyAsksForGoesOnceItIsOldNews() {
        fail("payments");
        assertThat(fail("payments").light().state()).isEqualTo(BreakerState.OPEN);
        clock.advance(Duration.ofDays(7));
        assertThat(known()).containsExactly("payments");
        clock.advance(Duration.ofSeconds(1));
        assertThat(known()).isEmpty();
    }

    @Test
    void aStoreGoesOnFromALightThatAnotherKnew() {
        Light red = new Light(BreakerState.OPEN, 42, 41, 5_000, 1, null, 3, 0, 0, false, 43);
        store.seed(new StoreObserver.Active("payments", settings, red, Map.of("threshold", "1")));
        store.seed(new StoreObserver.Active("payments", settings, Light.GREEN, Map.of()));
        Light light = send("payments", new StoreCommand.Read(false)).light();
        assertThat(light.state()).isEqualTo(BreakerState.OPEN);
        assertThat(light.remainingMillis()).isEqualTo(5_000);
        clock.advance(Duration.ofSeconds(5));
        StoreReply probe = send("payments", new StoreCommand.Acquire("lease"));
        assertThat(probe.accepted()).isTrue();
        assertThat(probe.light().epoch()).isGreaterThan(42);
    }
}
