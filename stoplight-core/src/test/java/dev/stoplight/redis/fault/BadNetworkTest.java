package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis is well, but the way to it is slow, or leads nowhere. */
final class BadNetworkTest {

    private static final Duration TIMEOUT = Duration.ofMillis(600);

    private static RedisServerProcess redis;

    private final StoreLog log = new StoreLog();
    private Proxy proxy;

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void startProxy() {
        proxy = new Proxy(redis.port());
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
        log.close();
    }

    private Fleet fleet() {
        return new Fleet(() -> RedisClient.create(Fleet.RESOURCES, proxy.uri()), store -> store.timeout(TIMEOUT));
    }

    @Test
    void aSlowNetworkWithinTheTimeLimitIsNoFault() {
        try (Fleet fleet = fleet().join(2);
                Load load = new Load(fleet, TIMEOUT)) {
            log.clear();
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            proxy.delay(TIMEOUT.dividedBy(6));
            trip(breakers.get(0));
            fleet.agrees("payments", BreakerState.OPEN);
            load.goesOn();
            load.endsWellAfter(0);
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void aNetworkSlowerThanTheTimeLimitIsLeftOnceAndJoinedWhenItIsFastAgain() {
        try (Fleet fleet = fleet().join(2)) {
            log.clear();
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            trip(breakers.get(0));
            fleet.agrees("payments", BreakerState.OPEN);
            Load load = new Load(fleet, TIMEOUT);

            proxy.delay(TIMEOUT);
            fleet.allDown();
            int before = proxy.connections();
            // Each instance looks for it twice at least, and finds it too slow.
            eventually(Duration.ofSeconds(10), () -> assertThat(proxy.connections()).isGreaterThanOrEqualTo(before + 6));
            assertThat(log.warnings()).hasSize(2);
            assertThat(log.infos()).isEmpty();
            assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));

            proxy.delay(Duration.ZERO);
            fleet.allUp();
            fleet.agrees("payments", BreakerState.OPEN);
            breakers.get(1).reset();
            fleet.agrees("payments", BreakerState.CLOSED);
            load.goesOn();
            load.endsWellAfter(1);
            assertThat(log.infos()).hasSize(2);
        }
    }

    @Test
    void aNetworkThatSwallowsEverythingIsLeftAndJoinedWhenItLetsThrough() {
        try (Fleet fleet = fleet().join(2)) {
            log.clear();
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            trip(breakers.get(0));
            fleet.agrees("payments", BreakerState.OPEN);
            Load load = new Load(fleet, TIMEOUT);

            proxy.swallow();
            fleet.allDown();
            load.goesOn();
            // Attempts to connect are under way, and they will never be answered.
            eventually(() -> assertThat(Thread.getAllStackTraces().keySet()).anyMatch(thread -> thread.getName().equals("stoplight-redis-connect")));
            proxy.swallowNoMore();
            fleet.allUp();
            fleet.agrees("payments", BreakerState.OPEN);
            breakers.get(1).reset();
            fleet.agrees("payments", BreakerState.CLOSED);
            load.goesOn();
            load.endsWellAfter(1);
            assertThat(log.warnings()).hasSize(2);
            assertThat(log.infos()).hasSize(2);
        }
    }

    @Test
    void aStoreConnectsAndClosesThoughNothingGetsThrough() {
        proxy.swallow();
        long start = System.nanoTime();
        try (Fleet fleet = fleet()) {
            fleet.join();
            Breaker breaker = fleet.instance(0).registry().breaker("payments", settings().build());
            fail(breaker);
            assertThat(breaker.supply(() -> "value")).isEqualTo("value");
            assertThat(fleet.instance(0).isUp()).isFalse();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void whoIsCutOffDecidesForItselfAndListensToTheOthersAfterwards() {
        try (Fleet fleet = fleet();
                Fleet others = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, redis.uri()), store -> store.timeout(TIMEOUT).keyPrefix(fleet.prefix()))
                        .join(1)) {
            Fleet.Instance cutOff = fleet.join();
            Breaker here = cutOff.registry().breaker("payments", settings().build());
            Breaker there = others.instance(0).registry().breaker("payments", settings().build());
            Breaker alone = cutOff.registry().breaker("alone", settings().build());
            here.snapshot();

            proxy.swallow();
            fail(alone);
            assertThat(cutOff.isUp()).isFalse();
            trip(there);
            assertThat(here.supply(() -> "value")).isEqualTo("value");
            trip(alone);
            proxy.swallowNoMore();
            fleet.allUp();

            fleet.agrees("payments", BreakerState.OPEN);
            fleet.agrees("alone", BreakerState.CLOSED);
            assertThat(others.instance(0).registry().breaker("alone", settings().build()).snapshot().state()).isEqualTo(BreakerState.CLOSED);
        }
    }
}
