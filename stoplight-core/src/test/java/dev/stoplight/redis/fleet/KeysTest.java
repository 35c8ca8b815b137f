package dev.stoplight.redis.fleet;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.Permit;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in Redis, and for how long, by Redis' own clock. */
final class KeysTest {

    private static final Duration WEEK = Duration.ofDays(7);
    private static final long FOR_EVER = -1;

    private static RedisServerProcess redis;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> connection;

    private Fleet fleet;
    private RedisCommands<String, String> commands;

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
        client = RedisClient.create(Fleet.RESOURCES, redis.uri());
        connection = client.connect();
    }

    @AfterAll
    static void stop() {
        connection.close();
        client.shutdown(Duration.ZERO, Fleet.PATIENT);
        redis.close();
    }

    @BeforeEach
    void joinFleet() {
        commands = connection.sync();
        fleet = new Fleet(redis.uri()).join(1);
    }

    @AfterEach
    void leaveFleet() {
        fleet.close();
    }

    private Breaker breaker(BreakerSettings.Builder settings) {
        return fleet.instance(0).registry().breaker("payments", settings.build());
    }

    private String key(String suffix) {
        return fleet.prefix() + ":{payments}:" + suffix;
    }

    private List<String> keys() {
        return commands.keys(fleet.prefix() + ":*").stream().map(key -> key.substring(fleet.prefix().length() + 1)).toList();
    }

    /** The key lives for that long, less what this test has taken so far. */
    private void lives(String suffix, Duration expected) {
        assertThat(Duration.ofMillis(commands.pttl(key(suffix)))).as(suffix).isBetween(expected.minusSeconds(20), expected);
    }

    @Test
    void everyKeyOfATrippedBreakerLivesAsLongAsItIsNeeded() {
        Breaker breaker = breaker(settings().window(Duration.ofMinutes(2)).coolOff(Duration.ofMinutes(5)));
        trip(breaker);

        assertThat(keys()).containsExactlyInAnyOrder("{payments}:state", "{payments}:failures", "{payments}:history", "breakers");
        lives("state", Duration.ofMinutes(5).plus(WEEK));
        lives("failures", Duration.ofMinutes(2));
        lives("history", WEEK);
        assertThat(commands.zrange(fleet.prefix() + ":breakers", 0, -1)).containsExactly("payments");
        assertThat(commands.type(key("state"))).isEqualTo("hash");
        assertThat(commands.type(key("failures"))).isEqualTo("zset");
        assertThat(commands.type(key("history"))).isEqualTo("list");
    }

    @Test
    void countedCallsLiveForTheWindow() {
        Breaker breaker = breaker(settings().mode(BreakerMode.RATE).window(Duration.ofMinutes(2)).minimumCalls(2));
        breaker.run(() -> {});
        fail(breaker);
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.OPEN);

        lives("calls", Duration.ofMinutes(2));
        assertThat(commands.type(key("calls"))).isEqualTo("hash");
    }

    @Test
    void aProbeLivesForItsLeaseAndAClosedLightLeavesItsEpochForAnHour() {
        Breaker breaker = breaker(settings().coolOff(Duration.ofMillis(1)).probeTimeout(Duration.ofMinutes(3)));
        trip(breaker);
        eventually(() -> assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN));

        Permit probe = breaker.acquire();
        lives("probes", Duration.ofMinutes(3));
        assertThat(commands.type(key("probes"))).isEqualTo("zset");

        probe.succeed();
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(keys()).containsExactlyInAnyOrder("{payments}:state", "{payments}:history", "breakers");
        lives("state", Duration.ofHours(1));
    }

    @Test
    void locksAndSettingsStayUntilTheyAreCleared() {
        Breaker breaker = breaker(settings());
        breaker.lock(BreakerLock.OPEN);
        breaker.configure(BreakerSettings.builder().threshold(7).build());
        assertThat(commands.pttl(key("state"))).isEqualTo(FOR_EVER);
        assertThat(commands.pttl(key("settings"))).isEqualTo(FOR_EVER);

        breaker.unlock();
        breaker.clearOverrides();
        lives("state", Duration.ofHours(1));
        assertThat(keys()).doesNotContain("{payments}:settings");
        breaker.forget();
        assertThat(keys()).isEmpty();
    }

    @Test
    void aGreenBreakerLeavesNothing() {
        Breaker breaker = breaker(settings());
        IntStream.range(0, 1000).forEach(i -> breaker.run(() -> {}));
        assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        assertThat(keys()).isEmpty();
    }

    @Test
    void tenThousandGreenKeysLeaveNothing() {
        for (int batch = 0; batch < 10_000; batch += 500) {
            CompletableFuture.allOf(IntStream.range(batch, batch + 500)
                            .mapToObj(i -> fleet.instance(0).registry().breaker("payments", "client-" + i))
                            .map(breaker -> breaker.supplyAsync(() -> CompletableFuture.completedFuture("value")).toCompletableFuture())
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
        assertThat(fleet.instance(0).registry().breakers().count()).isGreaterThanOrEqualTo(10_000);
        assertThat(keys()).isEmpty();
    }

    @Test
    void memoryIsBoundedWhateverTheTraffic() {
        // Two instances would have to complain, so nothing trips.
        Breaker breaker = breaker(settings().mode(BreakerMode.COUNT).minimumInstances(2).window(Duration.ofMinutes(10)));
        CompletableFuture.allOf(IntStream.range(0, 500)
                        .mapToObj(i -> breaker.supplyAsync(() -> CompletableFuture.failedFuture(new Fleet.Boom()))
                                .handle((value, thrown) -> null)
                                .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        assertThat(commands.zcard(key("failures"))).isEqualTo(50);

        for (int i = 0; i < 40; i++) {
            breaker.lock(BreakerLock.OPEN);
            breaker.unlock();
        }
        assertThat(commands.llen(key("history"))).isEqualTo(50);
    }

    @Test
    void aBreakerThatNobodyHasSeenForAWeekIsNoLongerListed() {
        long now = Long.parseLong(commands.time().get(0)) * 1000;
        commands.zadd(fleet.prefix() + ":breakers", now - WEEK.plusMinutes(1).toMillis(), "long ago");
        commands.zadd(fleet.prefix() + ":breakers", now - WEEK.minusMinutes(1).toMillis(), "last week");
        fleet.join();
        assertThat(commands.zrange(fleet.prefix() + ":breakers", 0, -1)).containsExactly("last week");
    }
}
