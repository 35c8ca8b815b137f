package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.fail;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.StoreUnavailableException;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RecordedEvents;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis is not there, stops, hangs, and comes back with nothing in it or with everything. */
final class OutageTest {

    /** Long enough to tell a call that waited for it from one that this machine did not get to. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final int NODES = 3;

    private final StoreLog log = new StoreLog();

    @AfterEach
    void releaseLog() {
        log.close();
    }

    static List<Path> executables() {
        return Redis.executables();
    }

    private static Fleet fleet(RedisServerProcess redis) {
        return new Fleet(() -> RedisClient.create(Fleet.RESOURCES, redis.uri()), store -> store.timeout(TIMEOUT));
    }

    @Test
    void withoutRedisAnInstanceStartsAndJoinsWhenItAppears() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis)) {
            redis.kill();
            Fleet.Instance alone = fleet.join();
            Breaker breaker = alone.registry().breaker("payments", settings().build());

            assertThat(breaker.supply(() -> "value")).isEqualTo("value");
            trip(breaker);
            assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class);
            eventually(() -> assertThat(alone.events().of(BreakerEvent.StoreDown.class)).hasSize(1));

            redis.restart();
            fleet.allUp();
            eventually(() -> assertThat(alone.events().of(BreakerEvent.StoreUp.class)).hasSize(1));
            assertThat(alone.events().of(BreakerEvent.StoreDown.class)).hasSize(1);
            // What it decided alone is not everyone's business.
            fleet.agrees("payments", BreakerState.CLOSED);

            fleet.join();
            trip(alone.registry().breaker("payments"));
            fleet.agrees("payments", BreakerState.OPEN);
            assertThat(log.warnings()).singleElement().asString().contains("Redis cannot be reached", "breakers go on in this process");
            assertThat(log.infos()).singleElement().asString().contains("Redis is there after");
        }
    }

    @ParameterizedTest
    @MethodSource("executables")
    void killedUnderLoadAndRestartedEmptyItLosesNothingThatMatters(Path executable) {
        try (RedisServerProcess redis = new RedisServerProcess(executable);
                Fleet fleet = fleet(redis).join(NODES)) {
            log.clear();
            Lights lights = new Lights(fleet);
            Duration longest = lights.red.get(0).snapshot().retryAfter();
            Load load = new Load(fleet, TIMEOUT);

            long killed = System.nanoTime();
            redis.kill();
            fleet.allDown();
            load.goesOn();
            lights.hold();
            long restarted = System.nanoTime();
            redis.restart();
            long back = System.nanoTime();
            fleet.allUp();
            lights.hold();
            lights.areShared(redis);

            load.goesOn();
            load.endsWellAfter(1);
            Duration passed = Duration.ofNanos(System.nanoTime() - killed);
            assertThat(lights.red).allSatisfy(breaker -> assertThat(breaker.snapshot().retryAfter())
                    .isBetween(longest.minus(passed).minus(Duration.ofSeconds(1)), longest.minusNanos(restarted - killed)));
            assertThat(log.warnings()).hasSize(NODES).allSatisfy(line -> assertThat(line).contains("Redis cannot be reached"));
            assertThat(log.infos()).hasSize(NODES).allSatisfy(line -> assertThat(outage(line))
                    .isBetween(Duration.ofNanos(restarted - killed).minusMillis(200), Duration.ofNanos(back - killed).plus(Fleet.AGREEMENT)));
        }
    }

    private static Duration outage(String line) {
        Matcher matcher = Pattern.compile("after (\\d+)ms").matcher(line);
        assertThat(matcher.find()).as(line).isTrue();
        return Duration.ofMillis(Long.parseLong(matcher.group(1)));
    }

    @ParameterizedTest
    @MethodSource("executables")
    void hangingUnderLoadItHoldsUpOnlyTheCallsThatFindItOut(Path executable) {
        try (RedisServerProcess redis = new RedisServerProcess(executable);
                Fleet fleet = fleet(redis).join(NODES)) {
            log.clear();
            Lights lights = new Lights(fleet);
            Load load = new Load(fleet, TIMEOUT);

            redis.suspend();
            fleet.allDown();
            load.goesOn();
            lights.hold();
            redis.resume();
            fleet.allUp();
            lights.hold();
            lights.areShared(redis);

            load.goesOn();
            load.endsWellAfter(1);
            assertThat(log.warnings()).hasSize(NODES);
            assertThat(log.infos()).hasSize(NODES);
        }
    }

    @Test
    void anIdleInstanceFindsOutByItselfThatRedisHangs() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis).join(1)) {
            redis.suspend();
            eventually(Duration.ofSeconds(5), () -> assertThat(fleet.instance(0).isUp()).isFalse());
            redis.resume();
            fleet.allUp();
        }
    }

    @Test
    void anOperatorsChangeThatCannotBeStoredIsRefusedAndNothingIsChanged() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, redis.uri()), store -> store.timeout(Duration.ofMillis(500)))
                        .join(2)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            Breaker locked = fleet.instance(0).registry().breaker("locked", settings().build());
            locked.lock(BreakerLock.OPEN);
            Breaker elsewhere = fleet.instance(1).registry().handle("locked");
            elsewhere.snapshot();

            redis.suspend();
            assertRefused(elsewhere::forget);
            // The first of them still gets as far as Redis' socket, and is read when Redis wakes up.
            assertRefused(() -> breakers.get(0).lock(BreakerLock.OPEN));
            assertRefused(() -> breakers.get(1).configure(BreakerSettings.builder().threshold(7).build()));
            assertRefused(breakers.get(0)::reset);
            assertRefused(breakers.get(0)::clearOverrides);
            assertRefused(breakers.get(0)::forget);
            assertRefused(locked::unlock);
            redis.resume();
            fleet.allUp();
            assertThat(fleet.instance(1).registry().known().toCompletableFuture().join()).contains("locked");

            fleet.agrees("payments", BreakerState.CLOSED);
            assertThat(breakers).allSatisfy(breaker -> {
                assertThat(breaker.snapshot().lock()).isNull();
                assertThat(breaker.settings().threshold()).isEqualTo(3);
            });
            assertThat(locked.snapshot().lock()).isEqualTo(BreakerLock.OPEN);

            redis.kill();
            fleet.allDown();
            assertRefused(() -> breakers.get(0).lock(BreakerLock.OPEN));
            assertThat(breakers.get(0).supply(() -> "value")).isEqualTo("value");
            redis.restart();
            fleet.allUp();
            fleet.agrees("payments", BreakerState.CLOSED);
            breakers.get(0).lock(BreakerLock.OPEN);
            fleet.agrees("payments", BreakerState.OPEN);
        }
    }

    private static void assertRefused(Runnable change) {
        assertThatThrownBy(change::run).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("was not changed");
    }

    @Test
    void failuresAndProbesOfTheTimeBeforeAHangDoNotCountAfterIt() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, redis.uri()), store -> store.timeout(Duration.ofMillis(300)))
                        .join(1)) {
            BreakerSettings once = settings().threshold(1).coolOff(Duration.ofMillis(1)).build();
            Breaker failing = fleet.instance(0).registry().breaker("failing", once);
            Breaker yellow = fleet.instance(0).registry().breaker("yellow", once);
            fail(yellow);
            eventually(() -> assertThat(yellow.state()).isEqualTo(BreakerState.HALF_OPEN));
            failing.snapshot();

            redis.suspend();
            List<Runnable> underWay = List.of(() -> fail(failing), () -> yellow.run(() -> {}));
            underWay.parallelStream().forEach(Runnable::run);
            redis.resume();
            fleet.allUp();

            // Redis has read the commands of the closed connection by the time it answers on a new one.
            assertThat(failing.snapshot().state()).isEqualTo(BreakerState.CLOSED);
            assertThat(yellow.snapshot().probes()).isZero();
            yellow.run(() -> {});
            assertThat(yellow.snapshot().state()).isEqualTo(BreakerState.CLOSED);
        }
    }

    @Test
    void everyOutageIsOneEventAndItsEndAnother() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis).join(1)) {
            for (int outages = 1; outages <= 2; outages++) {
                redis.kill();
                fleet.allDown();
                redis.restart();
                fleet.allUp();
                int count = outages;
                eventually(() -> {
                    assertThat(fleet.instance(0).events().of(BreakerEvent.StoreDown.class)).hasSize(count);
                    assertThat(fleet.instance(0).events().of(BreakerEvent.StoreUp.class)).hasSize(count);
                });
            }
        }
    }

    @Test
    void aRegistryThatIsClosedDuringAnOutageHearsNoMore() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis).join(1)) {
            Fleet.Instance instance = fleet.instance(0);
            RecordedEvents events = new RecordedEvents();
            BreakerRegistry second = BreakerRegistry.builder().store(instance.store()).instance("second").listener(events).build();
            second.breaker("payments", settings().build());
            redis.kill();
            fleet.allDown();
            second.close();

            trip(instance.registry().breaker("payments", settings().build()));
            eventually(() -> assertThat(instance.events().of(BreakerEvent.Transitioned.class)).hasSize(1));
            assertThat(events.of(BreakerEvent.Transitioned.class)).isEmpty();
        }
    }

    @Test
    void theWarningTellsWhyRedisCannotBeUsed() {
        try (RedisServerProcess redis = new RedisServerProcess()) {
            Redis.ask(redis.uri(), commands -> commands.configSet("requirepass", "secret"));
            try (Fleet fleet = fleet(redis)) {
                fleet.join();
                assertThat(log.warnings()).singleElement().asString().contains("NOAUTH");
            }
        }
    }

    @Test
    void aClientThatWasShutDownFirstHarmsNobody() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis).join(1)) {
            Fleet.Instance instance = fleet.instance(0);
            Breaker breaker = instance.registry().breaker("payments", settings().build());
            trip(breaker);

            instance.client().shutdown(Duration.ZERO, Fleet.PATIENT);
            assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class);
            Breaker other = instance.registry().breaker("other", settings().build());
            fail(other);
            assertThat(other.supply(() -> "value")).isEqualTo("value");
            instance.registry().close();
            assertThat(other.supply(() -> "value")).isEqualTo("value");
        }
    }

    /** One light of each kind that must not be lost, on every instance. */
    private static final class Lights {

        private static final int CHANGED = 2_000_000;

        private final Fleet fleet;
        private final List<Breaker> red;
        private final List<Breaker> lockedOpen;
        private final List<Breaker> lockedClosed;
        private final List<Breaker> changed;

        Lights(Fleet fleet) {
            this.fleet = fleet;
            this.red = fleet.breakers("red", settings().build());
            this.lockedOpen = fleet.breakers("locked open", settings().build());
            this.lockedClosed = fleet.breakers("locked closed", settings().build());
            this.changed = fleet.breakers(Load.NAME, Load.SETTINGS);
            trip(red.get(0));
            lockedOpen.get(1).lock(BreakerLock.OPEN);
            lockedClosed.get(0).lock(BreakerLock.CLOSED);
            changed.get(1).configure(BreakerSettings.builder().threshold(CHANGED).build());
            hold();
        }

        /** On every instance they are what they were, without asking. */
        void hold() {
            eventually(() -> {
                assertThat(red).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));
                assertThat(lockedOpen).allSatisfy(breaker -> assertThat(breaker.lastSeen().lock()).isEqualTo(BreakerLock.OPEN));
                assertThat(lockedClosed).allSatisfy(breaker -> assertThat(breaker.lastSeen().lock()).isEqualTo(BreakerLock.CLOSED));
                assertThat(changed).allSatisfy(breaker -> assertThat(breaker.settings().threshold()).isEqualTo(CHANGED));
            });
            assertThat(red).allSatisfy(breaker -> assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class));
            assertThat(lockedOpen)
                    .allSatisfy(breaker -> assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class));
            lockedClosed.forEach(Fleet::fail);
        }

        /** Redis itself has them, so that an instance that never saw them learns of them. */
        void areShared(RedisServerProcess redis) {
            eventually(() -> Redis.ask(redis.uri(), commands -> {
                assertThat(commands.hget(fleet.prefix() + ":{red}:state", "state")).isEqualTo("OPEN");
                assertThat(commands.hget(fleet.prefix() + ":{locked open}:state", "lock")).isEqualTo("OPEN");
                assertThat(commands.hget(fleet.prefix() + ":{locked closed}:state", "lock")).isEqualTo("CLOSED");
                assertThat(commands.hget(fleet.prefix() + ":{" + Load.NAME + "}:settings", "threshold")).isEqualTo(Integer.toString(CHANGED));
                assertThat(commands.zrange(fleet.prefix() + ":breakers", 0, -1)).contains("red", "locked open", "locked closed", Load.NAME);
                return null;
            }));
        }
    }

    @Test
    void aloneAnInstanceNeedsNoSecondOneThatComplains() {
        try (RedisServerProcess redis = new RedisServerProcess();
                Fleet fleet = fleet(redis).join(2)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().minimumInstances(2).build());
            breakers.forEach(Breaker::snapshot);
            redis.kill();
            fleet.allDown();
            trip(breakers.get(0));
            assertThat(breakers.get(1).state()).isEqualTo(BreakerState.CLOSED);
        }
    }
}
