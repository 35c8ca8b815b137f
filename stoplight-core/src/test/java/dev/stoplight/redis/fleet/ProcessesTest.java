package dev.stoplight.redis.fleet;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.testing.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Instances that are really processes. */
final class ProcessesTest {

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);

    static final BreakerSettings SETTINGS = BreakerSettings.builder()
            .threshold(2)
            .window(Duration.ofMinutes(1))
            .coolOff(Duration.ofMillis(500))
            .probeTimeout(PROBE_TIMEOUT)
            .build();

    @Test
    void processesShareALightAndOneThatDiesWithAProbeHoldsUpRecoveryForItsLeaseAtMost() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = new Fleet(redis.uri()).join(1);
                NodeProcess first = new NodeProcess(redis.uri(), fleet.prefix(), "first");
                NodeProcess second = new NodeProcess(redis.uri(), fleet.prefix(), "second")) {
            Breaker here = fleet.instance(0).registry().breaker("payments", SETTINGS);
            assertThat(first.tell("call")).isEqualTo("value");
            assertThat(second.tell("call")).isEqualTo("value");

            // Two failures in two processes open it in all three, where a call is rejected until the cool-off is over.
            assertThat(first.tell("fail")).isEqualTo("failed");
            assertThat(second.tell("fail")).isEqualTo("failed");
            eventually(() -> assertThat(fleet.instance(0).events().states()).contains(BreakerState.OPEN));
            eventually(() -> assertThat(first.tell("state")).isNotEqualTo("CLOSED"));

            AtomicLong asked = new AtomicLong();
            eventually(() -> {
                asked.set(System.nanoTime());
                assertThat(second.tell("probe")).isEqualTo("granted");
            });
            assertThat(here.snapshot().probes()).isEqualTo(1);
            second.kill();
            assertThat(first.tell("call")).isEqualTo("rejected");
            eventually(PROBE_TIMEOUT.plus(Fleet.AGREEMENT), () -> assertThat(first.tell("call")).isEqualTo("value"));
            assertThat(Duration.ofNanos(System.nanoTime() - asked.get())).isGreaterThan(PROBE_TIMEOUT.minusMillis(100));
            eventually(() -> assertThat(here.state()).isEqualTo(BreakerState.CLOSED));

            eventually(() -> assertThat(fleet.instance(0).events().of(BreakerEvent.Transitioned.class))
                    .extracting(event -> event.transition().to(), event -> event.transition().instance(), BreakerEvent.Transitioned::own)
                    .containsExactly(
                            tuple(BreakerState.OPEN, "second", false),
                            tuple(BreakerState.HALF_OPEN, "second", false),
                            tuple(BreakerState.CLOSED, "first", false)));
        }
    }
}
