package dev.stoplight.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.TestClock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class StoplightMetricsTests {

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private final Instance here = new Instance();

    /** One instance with its meters. */
    private final class Instance {

        private final MeterRegistry meters = new SimpleMeterRegistry();
        private final StoplightMetrics metrics = new StoplightMetrics(this::registry);
        private final BreakerRegistry registry = BreakerRegistry.builder()
                .store(store)
                .ticker(clock)
                .listener(metrics)
                .defaults(BreakerSettings.builder()
                        .threshold(2)
                        .slowCall(Duration.ofSeconds(1))
                        .ignoreExceptions(IllegalArgumentException.class)
                        .build())
                .build();

        private Instance() {
            registry.breaker("first");
            metrics.bindTo(meters);
        }

        private BreakerRegistry registry() {
            return registry;
        }

        private double calls(String breaker, String outcome) {
            return meters.get("stoplight.calls").tags("breaker", breaker, "outcome", outcome).functionCounter().count();
        }

        private double state(String breaker) {
            return meters.get("stoplight.state").tag("breaker", breaker).gauge().value();
        }

        private double transitions(String breaker, String from, String to) {
            return meters.get("stoplight.transitions").tags("breaker", breaker, "from", from, "to", to).counter().count();
        }
    }

    @Test
    void callsAreCountedByOutcome() {
        Breaker breaker = here.registry.breaker("payments");
        breaker.run(() -> {});
        breaker.run(() -> clock.advance(Duration.ofSeconds(2)));
        breaker.run(() -> {});
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> breaker.run(() -> {
            throw new IllegalArgumentException();
        }));
        fail(breaker, 2);
        assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> breaker.run(() -> {}));

        assertThat(here.calls("payments", "succeeded")).isEqualTo(2);
        assertThat(here.calls("payments", "slow")).isEqualTo(1);
        assertThat(here.calls("payments", "ignored")).isEqualTo(1);
        assertThat(here.calls("payments", "failed")).isEqualTo(2);
        assertThat(here.calls("payments", "rejected")).isEqualTo(1);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aBreakerThatIsBothFoundAndAnnouncedIsRegisteredOnce(CapturedOutput output) {
        here.metrics.onEvent(new BreakerEvent.Created("first"));

        assertThat(here.calls("first", "succeeded")).isZero();
        assertThat(output).doesNotContain("already registered");
    }

    @Test
    void callsAreReadFromTheBreakersOwnCounters() {
        assertThat(here.meters.get("stoplight.calls").meters()).allMatch(FunctionCounter.class::isInstance);
    }

    @Test
    void keysAreAddedUpUnderTheirName() {
        here.registry.breaker("quotes", "acme").run(() -> {});
        here.registry.breaker("quotes", "other").run(() -> {});

        assertThat(here.calls("quotes", "succeeded")).isEqualTo(2);
        assertThat(here.meters.getMeters()).allSatisfy(meter -> assertThat(meter.getId().toString()).doesNotContain("acme"));
    }

    @Test
    void stateFollowsTheLight() {
        Breaker breaker = here.registry.breaker("payments");
        assertThat(here.state("payments")).isZero();
        fail(breaker, 2);
        assertThat(here.state("payments")).isEqualTo(2);
        clock.advance(Duration.ofSeconds(61));
        assertThat(here.state("payments")).isEqualTo(1);
        breaker.run(() -> {});
        assertThat(here.state("payments")).isZero();
    }

    @Test
    void stateOfANameIsThatOfItsWorstKey() {
        here.registry.breaker("quotes", "well").run(() -> {});
        fail(here.registry.breaker("quotes", "acme"), 2);

        await().until(() -> here.state("quotes") == 2);
        assertThat(here.state("first")).isZero();
    }

    @Test
    void transitionIsCountedByTheInstanceThatCausedIt() {
        Instance there = new Instance();
        here.registry.breaker("payments");
        Breaker breaker = there.registry.breaker("payments");
        fail(breaker, 2);
        clock.advance(Duration.ofSeconds(61));
        breaker.run(() -> {});

        await().until(() -> there.transitions("payments", "HALF_OPEN", "CLOSED") == 1);
        assertThat(there.transitions("payments", "CLOSED", "OPEN")).isEqualTo(1);
        assertThat(there.transitions("payments", "OPEN", "HALF_OPEN")).isEqualTo(1);
        assertThat(here.transitions("payments", "CLOSED", "OPEN")).isZero();
    }

    @Test
    void transitionsExistAtZeroBeforeTheyHappen() {
        assertThat(here.meters.get("stoplight.transitions").tag("breaker", "first").counters()).hasSize(5).allMatch(c -> c.count() == 0);
    }

    @Test
    void metersOfAForgottenBreakerDisappearAndComeBackWithIt() {
        Breaker breaker = here.registry.breaker("payments");
        breaker.lock(BreakerLock.OPEN);
        assertThat(meters("payments")).isNotEmpty();

        breaker.forget();
        await().until(() -> meters("payments").isEmpty());
        assertThat(meters("first")).isNotEmpty();

        here.registry.breaker("payments").run(() -> {});
        await().until(() -> meters("payments").size() == 11);
    }

    @Test
    void forgettingAKeyKeepsItsName() {
        Breaker key = here.registry.breaker("quotes", "acme");
        fail(key, 1);
        key.forget();

        assertThat(meters("quotes")).hasSize(11);
    }

    @Test
    void storeCommandsAreTimed() {
        here.metrics.onStoreCommand("record", true, 2_000_000);
        here.metrics.onStoreCommand("record", false, 100_000_000);

        Timer answered = here.meters.get("stoplight.store.commands").tags("command", "record", "outcome", "answered").timer();
        Timer failed = here.meters.get("stoplight.store.commands").tags("command", "record", "outcome", "failed").timer();
        assertThat(answered.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(2);
        assertThat(failed.count()).isEqualTo(1);
    }

    @Test
    void storeIsUp() {
        assertThat(here.meters.get("stoplight.store.up").gauge().value()).isEqualTo(1);
    }

    private List<Meter> meters(String breaker) {
        return here.meters.getMeters().stream().filter(meter -> breaker.equals(meter.getId().getTag("breaker"))).toList();
    }

    private static void fail(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            assertThatIllegalStateException().isThrownBy(() -> breaker.run(() -> {
                throw new IllegalStateException("down");
            }));
        }
    }
}
