package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.store.Light;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreStatus;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis is there all the time, only connections to it break. */
final class ConnectionLossTest {

    private static RedisServerProcess redis;

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static long killSubscriptions() {
        return Redis.ask(redis.uri(), commands -> commands.clientKill(KillArgs.Builder.typePubsub()));
    }

    private static long killCommands() {
        return Redis.ask(redis.uri(), commands -> commands.clientKill(KillArgs.Builder.typeNormal().skipme()));
    }

    private static long subscribers(Fleet fleet) {
        String channel = fleet.prefix() + ":events";
        return Redis.ask(redis.uri(), commands -> commands.pubsubNumsub(channel)).get(channel);
    }

    /** Both versions of the protocol: in one a subscribed connection is an ordinary one, in the other it is not. */
    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"RESP2", "RESP3"})
    void aLostSubscriptionIsRenewedUnderLoadAndChangesReachEveryoneAgain(ProtocolVersion version) {
        try (Fleet fleet = new Fleet(() -> client(version), store -> store.timeout(Fleet.PATIENT)).join(3);
                Load load = new Load(fleet, Fleet.PATIENT)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            for (int i = 0; i < 5; i++) {
                // In RESP3 Redis counts a subscribed connection as a normal one too, but kills it as a subscriber.
                assertThat(killSubscriptions()).isEqualTo(3);
                trip(breakers.get(0));
                fleet.agrees("payments", BreakerState.OPEN);
                eventually(() -> assertThat(subscribers(fleet)).isEqualTo(3));
                breakers.get(1).reset();
                fleet.agrees("payments", BreakerState.CLOSED);
            }
            load.goesOn();
            load.endsWellAfter(0);
            assertThat(fleet.instances()).allMatch(Fleet.Instance::isUp);
        }
    }

    private static RedisClient client(ProtocolVersion version) {
        RedisClient client = RedisClient.create(Fleet.RESOURCES, redis.uri());
        client.setOptions(ClientOptions.builder().protocolVersion(version).build());
        return client;
    }

    @Test
    void aLostCommandConnectionIsReplacedUnderLoad() {
        try (Fleet fleet = new Fleet(redis.uri()).join(3);
                StoreLog log = new StoreLog();
                Load load = new Load(fleet, Fleet.PATIENT)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            trip(breakers.get(0));
            fleet.agrees("payments", BreakerState.OPEN);

            assertThat(killCommands()).isGreaterThanOrEqualTo(3);
            eventually(() -> assertThat(log.infos()).hasSize(3));
            fleet.allUp();
            fleet.agrees("payments", BreakerState.OPEN);
            eventually(() -> breakers.get(1).reset());
            fleet.agrees("payments", BreakerState.CLOSED);
            load.goesOn();
            load.endsWellAfter(1);
            assertThat(log.warnings()).hasSize(3);
        }
    }

    @Test
    void changesDuringTheLossOfASubscriptionAreCaughtUpWith() {
        try (Fleet fleet = new Fleet(redis.uri()).join(2)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            List<Breaker> changed = fleet.breakers("changed", settings().build());
            changed.get(0).configure(BreakerSettings.builder().threshold(7).build());
            eventually(() -> assertThat(changed.get(1).settings().threshold()).isEqualTo(7));

            killSubscriptions();
            trip(breakers.get(0));
            changed.get(0).clearOverrides();
            fleet.agrees("payments", BreakerState.OPEN);
            eventually(() -> assertThat(changed).allSatisfy(breaker -> assertThat(breaker.settings().threshold()).isEqualTo(3)));
            long inRedis = Redis.ask(redis.uri(), commands -> commands.exists(fleet.prefix() + ":{changed}:settings"));
            assertThat(inRedis).isZero();
        }
    }

    /** Reading afresh races with the messages that arrive meanwhile; what is taken in last must not be what was said first. */
    @Test
    void howeverOftenSubscriptionsBreakInTheMidstOfChangesEveryoneAgreesInTheEnd() {
        try (Fleet fleet = new Fleet(redis.uri()).join(3)) {
            List<Breaker> breakers = fleet.breakers("payments", settings().build());
            for (int round = 0; round < 10; round++) {
                try (Killer killer = new Killer()) {
                    for (int i = 0; i < 10 || killer.killed.get() == 0; i++) {
                        Breaker breaker = breakers.get(i % breakers.size());
                        eventually(() -> breaker.lock(BreakerLock.OPEN));
                        eventually(breaker::unlock);
                    }
                    if (round % 2 == 0) {
                        eventually(() -> breakers.get(0).lock(BreakerLock.OPEN));
                    }
                }
                fleet.agrees("payments", round % 2 == 0 ? BreakerState.OPEN : BreakerState.CLOSED);
            }
        }
    }

    /** The narrowest case of that race: the change is taken in just before the reading that does not know of it. */
    @Test
    void aChangeHeardWhileItsBreakerIsReadIsTakenInAfterTheReading() {
        ClientResources threads = ClientResources.builder().ioThreadPoolSize(4).build();
        RedisClient client = RedisClient.create(threads, redis.uri());
        try (Fleet fleet = new Fleet(redis.uri()).join(1);
                RedisBreakerStore store =
                        RedisBreakerStore.builder(client).keyPrefix(fleet.prefix()).timeout(Fleet.PATIENT).connect()) {
            Breaker breaker = fleet.breakers("payments", settings().threshold(2).build()).get(0);
            Fleet.fail(breaker);
            Held observer = new Held(breaker);
            store.subscribe(observer);

            killSubscriptions();
            observer.reading.join();
            trip(breaker);
            try {
                eventually(() -> assertThat(observer.seen).containsExactly(BreakerState.OPEN, BreakerState.CLOSED, BreakerState.OPEN));
            } finally {
                observer.end.complete(null);
            }
        } finally {
            client.shutdown(Duration.ZERO, Fleet.PATIENT);
            threads.shutdown(0, Fleet.PATIENT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Takes in a reading only when it has heard something, and does not come to the end of hearing it. */
    private static final class Held implements StoreObserver {

        private final Breaker breaker;
        private final CompletableFuture<Void> reading = inTime();
        private final CompletableFuture<Void> heard = inTime();
        private final CompletableFuture<Void> end = inTime();
        private final List<BreakerState> seen = new CopyOnWriteArrayList<>();

        Held(Breaker breaker) {
            this.breaker = breaker;
        }

        private static CompletableFuture<Void> inTime() {
            return new CompletableFuture<Void>().orTimeout(Fleet.PATIENT.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void changed(String id, StoreReply change) {
            if (!reading.isDone()) {
                return; // the first failure, by the subscription that is going to be lost
            }
            seen.add(change.light().state());
            if (heard.complete(null)) {
                end.join();
            }
        }

        @Override
        public void resynchronised(String id, StoreReply current) {
            reading.complete(null);
            heard.join();
            seen.add(current.light().state());
        }

        @Override
        public String instance() {
            return "held";
        }

        @Override
        public Active active(String id) {
            return new Active(id, breaker.settings(), Light.GREEN, Map.of());
        }

        @Override
        public List<Active> noteworthy() {
            return List.of();
        }

        @Override
        public void statusChanged(StoreStatus status) {}

        @Override
        public void commandDone(String command, boolean answered, long nanos) {}
    }

    /** Kills subscriptions as fast as it can. */
    private static final class Killer implements AutoCloseable {

        private final AtomicLong killed = new AtomicLong();
        private final AtomicBoolean enough = new AtomicBoolean();
        private final CompletableFuture<Void> killing = CompletableFuture.runAsync(() -> {
            while (!enough.get()) {
                killed.addAndGet(killSubscriptions());
            }
        });

        @Override
        public void close() {
            enough.set(true);
            killing.join();
        }
    }

    @Test
    void nothingIsLeftBehindByBrokenConnections() {
        try (StoreLog log = new StoreLog();
                Fleet fleet = new Fleet(
                                () -> client(ProtocolVersion.RESP3), store -> store.timeout(Fleet.PATIENT).heartbeat(Duration.ofMillis(50)))
                        .join(2)) {
            for (int i = 0; i < 3; i++) {
                killSubscriptions();
                eventually(() -> assertThat(subscribers(fleet)).isEqualTo(2));
                killCommands();
                eventually(() -> assertThat(subscribers(fleet)).isEqualTo(2));
                fleet.allUp();
            }
            assertThat(log.warnings()).isNotEmpty();
            // Two for each instance and the one that asks.
            eventually(() -> assertThat(connections()).isEqualTo(5));
        }
        eventually(() -> assertThat(connections()).isEqualTo(1));
    }

    private static long connections() {
        return Redis.ask(redis.uri(), commands -> commands.clientList()).lines().count();
    }
}
