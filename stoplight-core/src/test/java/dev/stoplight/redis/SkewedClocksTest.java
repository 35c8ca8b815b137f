package dev.stoplight.redis;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import dev.stoplight.testing.TestClock;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Instances whose wall clocks are far apart, and far from Redis', behave as if they were not. */
final class SkewedClocksTest {

    private RedisServerProcess redis;
    private final Deque<Duration> skews = new ArrayDeque<>(List.of(Duration.ofHours(1), Duration.ofHours(-1), Duration.ofDays(30)));
    private Fleet fleet;

    @BeforeEach
    void start() {
        redis = new RedisServerProcess();
        fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, redis.uri()), this::skewed);
    }

    @AfterEach
    void stop() {
        fleet.close();
        redis.close();
    }

    private RedisBreakerStore.Builder skewed(RedisBreakerStore.Builder store) {
        Duration skew = skews.remove();
        return store.timeout(Fleet.PATIENT).wallClock(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(skew)));
    }

    @Test
    void theyShareOneLightWithOneCoolOff() {
        fleet.join(3);
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        trip(breakers.get(0));
        fleet.agrees("payments", BreakerState.OPEN);
        assertThat(breakers).allSatisfy(breaker -> {
            assertThat(breaker.lastSeen().retryAfter()).isCloseTo(Duration.ofMinutes(1), Duration.ofSeconds(10));
            assertThat(breaker.lastSeen().since()).isEqualTo(breakers.get(0).lastSeen().since()).isCloseTo(Instant.now(), within(10, ChronoUnit.SECONDS));
        });
    }

    @Test
    void whatTheyDecidedBeforeRedisWasThereDoesNotStandInTheWayOfWhatRedisSays() {
        redis.kill();
        fleet.join();
        fleet.join();
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        List<Breaker> others = fleet.breakers("others", settings().build());
        breakers.forEach(breaker -> breaker.run(() -> {}));
        others.forEach(Fleet::trip);
        redis.restart();
        fleet.allUp();
        fleet.agrees("others", BreakerState.CLOSED);

        // Neither of these is a change of state, so only the stamp tells that it is news.
        fail(breakers.get(0));
        fail(breakers.get(0));
        eventually(() -> assertThat(breakers.get(1).lastSeen().failures()).isPositive());
        breakers.get(1).run(() -> {});
        eventually(() -> assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.lastSeen().failures()).isZero()));
        fail(breakers.get(0));
        fail(breakers.get(1));
        fleet.agrees("payments", BreakerState.CLOSED);
        fail(breakers.get(1));
        fleet.agrees("payments", BreakerState.OPEN);
        trip(others.get(1));
        fleet.agrees("others", BreakerState.OPEN);
    }

    @Test
    void anOutageDoesNotBringTheirOwnClocksIn() {
        fleet.join(2);
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        trip(breakers.get(0));
        fleet.agrees("payments", BreakerState.OPEN);

        redis.kill();
        fleet.allDown();
        assertThat(breakers).allSatisfy(breaker -> {
            assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.OPEN);
            assertThat(breaker.snapshot().retryAfter()).isCloseTo(Duration.ofMinutes(1), Duration.ofSeconds(15));
        });
        redis.restart();
        fleet.allUp();
        fleet.agrees("payments", BreakerState.OPEN);
        assertThat(breakers)
                .allSatisfy(breaker -> assertThat(breaker.snapshot().retryAfter()).isCloseTo(Duration.ofMinutes(1), Duration.ofSeconds(20)));
    }

    @Test
    void oneThatIsAMonthAheadDoesNotForgetTheBreakersOfTheOthers() {
        fleet.join(2);
        trip(fleet.instance(0).registry().breaker("payments", settings().build()));
        Fleet.Instance ahead = fleet.join();
        assertThat(ahead.registry().known().toCompletableFuture().join()).containsExactly("payments");
    }

    @Test
    void whenRedisClockIsSetBackNewsAreStillNews() {
        TestClock clock = new TestClock();
        RedisClient client = RedisClient.create(Fleet.RESOURCES, redis.uri());
        RedisBreakerStore store = RedisBreakerStore.builder(client).timeout(Fleet.PATIENT).heartbeat(Duration.ofMillis(50)).clock(clock).connect();
        try (BreakerRegistry registry = BreakerRegistry.builder().store(store).build()) {
            Breaker breaker = registry.breaker("payments", settings().build());
            Breaker green = registry.breaker("green", settings().build());
            breaker.configure(BreakerSettings.builder().threshold(9).build());
            green.snapshot();
            clock.setBack(Duration.ofMinutes(1));
            eventually(() -> {
                breaker.configure(BreakerSettings.builder().threshold(2).build());
                assertThat(breaker.settings().threshold()).isEqualTo(2);
            });

            fail(green);
            assertThat(green.lastSeen().failures()).isEqualTo(1);
            green.run(() -> {});
            eventually(() -> assertThat(green.snapshot().failures()).isZero());
            trip(green);
        } finally {
            client.shutdown(Duration.ZERO, Fleet.PATIENT);
        }
    }
}
