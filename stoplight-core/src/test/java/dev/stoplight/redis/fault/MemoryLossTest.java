package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.StoreUnavailableException;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis goes on, but has forgotten what it knew; or an operator wanted it to forget. */
final class MemoryLossTest {

    private static RedisServerProcess redis;

    private Fleet fleet;

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void joinFleet() {
        fleet = new Fleet(redis.uri()).join(2);
    }

    @AfterEach
    void leaveFleet() {
        fleet.close();
    }

    private static void flush() {
        Redis.ask(redis.uri(), commands -> commands.flushall());
    }

    private boolean redisHas(String key) {
        return Redis.ask(redis.uri(), commands -> commands.exists(fleet.prefix() + ":" + key)) == 1;
    }

    @Test
    void afterAFlushWithoutAnyTrafficTheLightsAreInRedisAgain() {
        List<Breaker> red = fleet.breakers("red", settings().build());
        List<Breaker> locked = fleet.breakers("locked", settings().build());
        List<Breaker> changed = fleet.breakers("changed", settings().build());
        trip(red.get(0));
        locked.get(1).lock(BreakerLock.OPEN);
        changed.get(0).configure(BreakerSettings.builder().threshold(7).build());
        fleet.agrees("red", BreakerState.OPEN);

        flush();
        eventually(() -> assertThat(List.of("{red}:state", "{locked}:state", "{changed}:settings")).allMatch(this::redisHas));
        fleet.agrees("red", BreakerState.OPEN);
        fleet.agrees("locked", BreakerState.OPEN);
        assertThat(changed).allSatisfy(breaker -> {
            breaker.snapshot();
            assertThat(breaker.settings().threshold()).isEqualTo(7);
        });
        assertThat(fleet.instances()).allMatch(Fleet.Instance::isUp);
    }

    @Test
    void changedSettingsSurviveAFlushThatIsFollowedByAFailureElsewhere() {
        List<Breaker> changed = fleet.breakers("changed", settings().build());
        changed.get(0).configure(BreakerSettings.builder().threshold(50).build());
        eventually(() -> assertThat(changed.get(1).settings().threshold()).isEqualTo(50));

        flush();
        fail(changed.get(1));
        eventually(() -> assertThat(redisHas("{changed}:settings")).isTrue());
        for (Breaker breaker : changed) {
            breaker.snapshot();
            assertThat(breaker.settings().threshold()).isEqualTo(50);
        }
    }

    @Test
    void settingsThatAreLostWhileTheirLightIsRedArePutBack() {
        Breaker red = fleet.instance(0).registry().breaker("red", settings().build());
        red.configure(BreakerSettings.builder().threshold(2).build());
        trip(red);

        Redis.ask(redis.uri(), commands -> commands.del(fleet.prefix() + ":{red}:settings"));
        eventually(() -> assertThat(redisHas("{red}:settings")).isTrue());
        assertThat(red.snapshot().state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void afterAFlushBreakersInUseAreListedAgain() {
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        fail(breakers.get(0));
        assertThat(breakers.get(0).supply(() -> "value")).isEqualTo("value");

        flush();
        trip(breakers.get(0));
        eventually(() -> assertThat(fleet.instance(1).registry().known().toCompletableFuture().join()).contains("payments"));
    }

    @Test
    void whoLooksRightAfterAFlushDoesNotSeeARedLightGreen() {
        List<Breaker> red = fleet.breakers("red", settings().build());
        List<Breaker> changed = fleet.breakers("changed", settings().build());
        trip(red.get(0));
        changed.get(0).configure(BreakerSettings.builder().threshold(7).build());
        fleet.agrees("red", BreakerState.OPEN);
        eventually(() -> assertThat(changed.get(1).settings().threshold()).isEqualTo(7));

        flush();
        assertThat(red.get(1).snapshot().state()).isEqualTo(BreakerState.OPEN);
        assertThat(red.get(0).snapshot().state()).isEqualTo(BreakerState.OPEN);
        changed.get(1).snapshot();
        assertThat(changed.get(1).settings().threshold()).isEqualTo(7);
        changed.get(0).snapshot();
        assertThat(changed.get(0).settings().threshold()).isEqualTo(7);
    }

    @Test
    void anUnlockAfterAFlushHolds() {
        List<Breaker> locked = fleet.breakers("locked", settings().build());
        locked.get(0).lock(BreakerLock.OPEN);
        fleet.agrees("locked", BreakerState.OPEN);

        flush();
        locked.get(1).unlock();
        fleet.agrees("locked", BreakerState.CLOSED);
        assertThat(locked.get(0).snapshot().lock()).isNull();
    }

    @Test
    void aFailureElsewhereAfterAFlushDoesNotTurnTheLightGreen() {
        Breaker red = fleet.instance(0).registry().breaker("red", settings().build());
        trip(red);
        flush();
        // An instance that never knew of the light tells everyone of the first failure in an empty Redis.
        Breaker stranger = fleet.instance(1).registry().breaker("red", settings().build());
        if (stranger.state() == BreakerState.CLOSED) {
            fail(stranger);
        }
        fleet.agrees("red", BreakerState.OPEN);
    }

    @Test
    void eachInstanceRestoresWhatOnlyItKnows() {
        Breaker here = fleet.instance(0).registry().breaker("here", settings().build());
        Breaker there = fleet.instance(1).registry().breaker("there", settings().build());
        trip(here);
        trip(there);

        flush();
        eventually(() -> assertThat(List.of("{here}:state", "{there}:state")).allMatch(this::redisHas));
        assertThat(here.snapshot().state()).isEqualTo(BreakerState.OPEN);
        assertThat(there.snapshot().state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void whatAnOperatorForgotStaysForgotten() {
        List<Breaker> locked = fleet.breakers("locked", settings().build());
        for (int i = 0; i < 20; i++) {
            locked.get(0).lock(BreakerLock.OPEN);
            fleet.agrees("locked", BreakerState.OPEN);
            locked.get(0).forget();
            assertThat(locked.get(1).snapshot().lock()).isNull();
            assertThat(redisHas("{locked}:state")).isFalse();
            eventually(() -> assertThat(fleet.instance(1).registry().find("locked")).isEmpty());
            fleet.breakers("locked", settings().build());
        }
    }

    @Test
    void whatAnOperatorClearedStaysCleared() {
        List<Breaker> changed = fleet.breakers("changed", settings().build());
        for (int threshold = 10; threshold < 30; threshold++) {
            int now = threshold;
            changed.get(0).configure(BreakerSettings.builder().threshold(now).build());
            eventually(() -> assertThat(changed.get(1).settings().threshold()).isEqualTo(now));
            changed.get(0).clearOverrides();
            changed.get(1).snapshot();
            eventually(() -> assertThat(changed.get(1).settings().threshold()).isEqualTo(3));
            assertThat(redisHas("{changed}:settings")).isFalse();
        }
    }

    @Test
    void withoutItsScriptsRedisGetsThemAgain() {
        Fleet.Instance instance = fleet.instance(0);
        try (Load load = new Load(fleet, Fleet.PATIENT)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            for (int i = 0; i < 5; i++) {
                Redis.ask(redis.uri(), commands -> commands.scriptFlush());
                trip(breakers.get(0));
                fleet.agrees("payments", BreakerState.OPEN);
                Redis.ask(redis.uri(), commands -> commands.scriptFlush());
                breakers.get(1).reset();
                fleet.agrees("payments", BreakerState.CLOSED);
            }
            load.goesOn();
            load.endsWellAfter(0);
        }
        assertThat(instance.isUp()).isTrue();
    }

    @Test
    void aFlushUnderLoadIsSeenByNobody() {
        try (Load load = new Load(fleet, Fleet.PATIENT)) {
            List<Breaker> red = fleet.breakers("red", settings().build());
            trip(red.get(0));
            fleet.agrees("red", BreakerState.OPEN);
            for (int i = 0; i < 10; i++) {
                flush();
                fleet.agrees("red", BreakerState.OPEN);
            }
            load.goesOn();
            load.endsWellAfter(0);
        }
    }

    @Test
    void aRedisWithoutRoomRefusesAnOperatorButServesCalls() {
        try (RedisServerProcess full = new RedisServerProcess();
                Fleet cramped = new Fleet(full.uri()).join(2)) {
            List<Breaker> breakers = cramped.breakers("payments", settings().build());
            Breaker recovering = cramped.instance(0).registry().breaker("recovering", settings().coolOff(Duration.ofMillis(1)).build());
            trip(recovering);
            Redis.ask(full.uri(), commands -> commands.configSet("maxmemory", "1"));

            assertThatThrownBy(() -> breakers.get(0).configure(BreakerSettings.builder().threshold(7).build()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("OOM");
            trip(breakers.get(0));
            cramped.agrees("payments", BreakerState.OPEN);
            eventually(() -> assertThat(recovering.supply(() -> "value")).isEqualTo("value"));
            assertThat(recovering.snapshot().state()).isEqualTo(BreakerState.CLOSED);
            assertThat(cramped.instances()).allMatch(Fleet.Instance::isUp);
        }
    }

    @Test
    void aKeyOfAnotherTypeTroublesOnlyItsOwnBreaker() {
        Breaker poisoned = fleet.instance(0).registry().breaker("poisoned", settings().build());
        List<Breaker> sound = fleet.breakers("sound", settings().build());
        String key = fleet.prefix() + ":{poisoned}:failures";
        Redis.ask(redis.uri(), commands -> commands.set(key, "not a sorted set"));

        trip(poisoned);
        trip(sound.get(0));
        fleet.agrees("sound", BreakerState.OPEN);
        assertThat(fleet.instances()).allMatch(Fleet.Instance::isUp);

        Redis.ask(redis.uri(), commands -> commands.del(key));
        fleet.agrees("poisoned", BreakerState.CLOSED);
        fail(poisoned);
        assertThat(fleet.instance(1).registry().breaker("poisoned").snapshot().failures()).isEqualTo(1);
    }

    @Test
    void whatIsRemovedDoesNotComeBackFromAnInstanceThatOnlyLookedAtIt() {
        BreakerRegistry looking = fleet.instance(0).registry();
        BreakerRegistry using = fleet.instance(1).registry();
        looking.breaker("payments");
        Breaker used = using.breaker("payments", "acme");
        looking.handle("payments:acme").lock(BreakerLock.OPEN);
        eventually(() -> assertThat(used.lastSeen().lock()).isEqualTo(BreakerLock.OPEN));
        used.forget();

        assertThat(looking.breaker("payments", "acme").supply(() -> "value")).isEqualTo("value");
        assertThat(using.breaker("payments", "acme").supply(() -> "value")).isEqualTo("value");
        assertThat(redisHas("{payments:acme}:state")).isFalse();
    }

    @Test
    void whoOnlyLookedAtAChangedSettingDoesNotLookForItForEver() {
        Breaker changed = fleet.instance(0).registry().breaker("payments", settings().build());
        changed.configure(BreakerSettings.builder().threshold(9).build());
        fleet.instance(1).registry().handle("payments").snapshot();
        changed.clearOverrides();

        long heartbeats = asked("time");
        long readings = asked("zrange");
        eventually(Duration.ofSeconds(30), () -> assertThat(asked("time")).isGreaterThan(heartbeats + 6));
        assertThat(asked("zrange")).isEqualTo(readings);
    }

    private static long asked(String command) {
        Matcher calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(Redis.ask(redis.uri(), commands -> commands.info("commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
