package dev.stoplight.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A window that is changed at run time, which random sequences leave out. */
final class ChangedWindowTest {

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private BreakerSettings settings = BreakerSettings.builder().mode(BreakerMode.COUNT).threshold(3).window(Duration.ofSeconds(60)).build();
    private int calls;

    private Light send(StoreCommand command) {
        return store.execute(new StoreRequest("payments", "a", settings, command)).toCompletableFuture().join().light();
    }

    private Light fail() {
        return send(new StoreCommand.Record(0, new Failure("call-" + calls++, "java.io.IOException", null, 0), Calls.NONE));
    }

    private void changeWindow(String window) {
        send(new StoreCommand.Configure(Map.of("window", window), false));
    }

    @Test
    void aShorterWindowHoldsForTheVeryNextDecision() {
        fail();
        fail();
        clock.advance(Duration.ofSeconds(30));
        changeWindow("20s");
        Light light = fail();
        assertThat(light.failures()).isEqualTo(1);
        assertThat(light.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aLongerWindowKeepsWhatTheShorterOneHeld() {
        fail();
        fail();
        clock.advance(Duration.ofSeconds(30));
        changeWindow("10m");
        clock.advance(Duration.ofMinutes(9));
        assertThat(fail().state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void callsAreCountedAfreshBecauseAnotherWindowHasOtherBuckets() {
        settings = BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(3).window(Duration.ofSeconds(60)).build();
        fail();
        fail();
        changeWindow("30s");
        assertThat(fail().failures()).isEqualTo(1);
        fail();
        assertThat(fail().state()).isEqualTo(BreakerState.OPEN);
    }
}
