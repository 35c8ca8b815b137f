package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.KillArgs;
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
        Duration timeout = Duration.ofMillis(300);
        try (Fleet fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, proxy.uri()), store -> store.timeout(timeout)).join(2)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().mode(BreakerMode.COUNT).build());
            eventually(() -> trip(breakers.get(0)));
            fleet.agrees("payments", BreakerState.OPEN);
            fleet.allUp();
            log.clear();

            // There and back it takes a little longer than a call waits, but not too long to connect.
            proxy.delay(timeout.multipliedBy(11).dividedBy(20));
            breakers.forEach(Breaker::snapshot);
            fleet.allDown();
            int before = proxy.connections();
            // By then an instance has looked for it, found it too slow, and looks again.
            eventually(Duration.ofSeconds(20), () -> assertThat(proxy.connections()).isGreaterThanOrEqualTo(before + 5));
            assertThat(log.warnings()).hasSize(2);
            assertThat(log.infos()).isEmpty();
            assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));

            proxy.delay(Duration.ZERO);
            fleet.allUp();
            eventually(() -> assertThat(log.infos()).hasSizeGreaterThanOrEqualTo(2));
            eventually(breakers.get(1)::reset);
            fleet.agrees("payments", BreakerState.CLOSED);
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
    void anAnswerThatIsOvertakenByAMessageDoesNotBringBackWhatWasBefore() {
        try (Fleet fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, proxy.uri()), store -> store.timeout(Fleet.PATIENT).heartbeat(Duration.ofMinutes(1)))
                        .join(1);
                Fleet others = others(fleet)) {
            Breaker here = fleet.instance(0).registry().breaker("payments", settings().build());
            Breaker there = others.instance(0).registry().breaker("payments", settings().build());
            Breaker another = fleet.instance(0).registry().breaker("another", settings().build());
            there.configure(BreakerSettings.builder().threshold(1).build());
            eventually(() -> assertThat(here.settings().threshold()).isEqualTo(1));

            // It reads afresh, since it cannot know what it has missed; the answer is long in coming, the message is not.
            proxy.delayReplies(0, Duration.ofMillis(500));
            long read = scripts();
            Redis.ask(redis.uri(), commands -> commands.clientKill(KillArgs.Builder.typePubsub()));
            // One of each instance.
            eventually(() -> assertThat(scripts()).isGreaterThanOrEqualTo(read + 2));
            fail(there);
            eventually(() -> assertThat(here.state()).isEqualTo(BreakerState.OPEN));
            // Answers come in the order of the questions, so the one about the other breaker is here by now.
            another.snapshot();
            assertThat(here.state()).isEqualTo(BreakerState.OPEN);
        }
    }

    private static long scripts() {
        return Redis.ask(redis.uri(), commands -> commands.info("commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+),usec=.*", "$1")))
                .findFirst()
                .orElse(0);
    }

    private static Fleet others(Fleet fleet) {
        return new Fleet(
                        () -> RedisClient.create(Fleet.RESOURCES, redis.uri()),
                        store -> store.timeout(Fleet.PATIENT).heartbeat(Duration.ofMinutes(1)).keyPrefix(fleet.prefix()))
                .join(1);
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
                Fleet others = others(fleet)) {
            Fleet.Instance cutOff = fleet.join();
            Breaker here = cutOff.registry().breaker("payments", settings().build());
            Breaker there = others.instance(0).registry().breaker("payments", settings().build());
            Breaker alone = cutOff.registry().breaker("alone", settings().build());
            here.snapshot();
            alone.snapshot();

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
