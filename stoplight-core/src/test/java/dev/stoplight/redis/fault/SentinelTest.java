package dev.stoplight.redis.fault;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A master dies under load, and three Sentinels put its replica in its place. */
final class SentinelTest {

    private static final String MASTER = "lights";

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Sentinels find each other, agree on a death and elect who is to act on it; none of that is ours. */
    private static final Duration SENTINELS = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private RedisServerProcess sentinel(int number, RedisServerProcess master) throws IOException {
        Path configuration = directory.resolve("sentinel-" + number + ".conf");
        Files.write(
                configuration,
                List.of(
                        "sentinel monitor " + MASTER + " 127.0.0.1 " + master.port() + " 2",
                        "sentinel down-after-milliseconds " + MASTER + " 300",
                        "sentinel failover-timeout " + MASTER + " 3000"));
        return new RedisServerProcess(RedisServerProcess.embedded(), configuration.toString(), "--sentinel");
    }

    @Test
    void aFailoverUnderLoadLosesNothingThatMatters() throws IOException {
        try (RedisServerProcess master = new RedisServerProcess();
                RedisServerProcess replica =
                        new RedisServerProcess("--replicaof", "127.0.0.1", Integer.toString(master.port()), "--repl-diskless-sync-delay", "0");
                RedisServerProcess first = sentinel(1, master);
                RedisServerProcess second = sentinel(2, master);
                RedisServerProcess third = sentinel(3, master)) {
            RedisURI uri = RedisURI.Builder.sentinel("127.0.0.1", first.port(), MASTER)
                    .withSentinel("127.0.0.1", second.port())
                    .withSentinel("127.0.0.1", third.port())
                    .build();
            List.of(first, second, third).forEach(SentinelTest::isReady);

            try (Fleet fleet = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, uri), store -> store.timeout(TIMEOUT)).join(3);
                    StoreLog log = new StoreLog()) {
                List<Breaker> red = fleet.breakers("red", settings().build());
                List<Breaker> locked = fleet.breakers("locked", settings().build());
                trip(red.get(0));
                locked.get(1).lock(BreakerLock.OPEN);
                fleet.agrees("red", BreakerState.OPEN);
                fleet.agrees("locked", BreakerState.OPEN);
                Load load = new Load(fleet, TIMEOUT);

                master.kill();
                fleet.allDown();
                load.goesOn();
                assertThat(red).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));
                eventually(SENTINELS, () -> assertThat(List.of(first, second, third)).allMatch(sentinel -> masterOf(sentinel) == replica.port()));
                fleet.allUp();
                fleet.agrees("red", BreakerState.OPEN);
                fleet.agrees("locked", BreakerState.OPEN);
                String inRedis = Redis.ask(replica.uri(), commands -> commands.hget(fleet.prefix() + ":{red}:state", "state"));
                assertThat(inRedis).isEqualTo("OPEN");

                // Commands and messages go through the new master.
                red.get(2).reset();
                fleet.agrees("red", BreakerState.CLOSED);
                load.goesOn();
                load.endsWellAfter(1);
                assertThat(log.warnings()).hasSize(3);
                assertThat(log.infos()).hasSize(3);
            }
        }
    }

    private static void isReady(RedisServerProcess sentinel) {
        eventually(SENTINELS, () -> {
            Map<String, String> known = ask(sentinel, connection -> connection.sync().master(MASTER));
            assertThat(known).containsEntry("num-slaves", "1").containsEntry("num-other-sentinels", "2");
            List<Map<String, String>> replicas = ask(sentinel, connection -> connection.sync().replicas(MASTER));
            assertThat(replicas).allSatisfy(replica -> assertThat(replica).containsEntry("master-link-status", "ok"));
        });
    }

    private static int masterOf(RedisServerProcess sentinel) {
        return ask(sentinel, connection -> ((InetSocketAddress) connection.sync().getMasterAddrByName(MASTER)).getPort());
    }

    private static <T> T ask(RedisServerProcess sentinel, Function<StatefulRedisSentinelConnection<String, String>, T> question) {
        RedisClient client = RedisClient.create(Fleet.RESOURCES, RedisURI.Builder.sentinel("127.0.0.1", sentinel.port(), MASTER).build());
        try (StatefulRedisSentinelConnection<String, String> connection = client.connectSentinel()) {
            return question.apply(connection);
        } finally {
            client.shutdown(Duration.ZERO, Fleet.PATIENT);
        }
    }
}
