package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.Permit;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The user of docs/redis.md may do all that Stoplight does, and has no right that goes unused. */
final class RedisPermissionsTests {

    private static final Pattern RIGHT = Pattern.compile("\\+([a-z|]+)");
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int FAILURES_KEPT = 50;

    static Stream<Path> servers() {
        return Stream.of(Optional.of(RedisServerProcess.embedded()), RedisServerProcess.installed()).flatMap(Optional::stream);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void theDocumentedUserIsEnoughForOneServer(Path server) {
        try (RedisServerProcess redis = new RedisServerProcess(server)) {
            Set<String> rights = everythingWorks(redis, aclCommand(0), RedisClient::create);
            assertThat(rights).allMatch(used(redis)::contains);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void withTheRightsForClusterItIsEnoughForACluster(Path server) {
        try (RedisServerProcess redis = new RedisServerProcess(server, "--cluster-enabled", "yes")) {
            admin(redis, commands -> commands.clusterAddSlots(IntStream.range(0, 16384).toArray()));
            await().atMost(LIMIT).until(() -> admin(redis, RedisCommands::clusterInfo).contains("cluster_state:ok"));

            Set<String> rights = everythingWorks(redis, aclCommand(0) + aclCommand(1), RedisClusterClient::create);
            // For the number of the database, of which a Cluster has but one.
            rights.remove("client|info");
            assertThat(rights).allMatch(used(redis)::contains);
        }
    }

    /** The commands of docs/redis.md that create the user, as arguments of ACL. */
    private static String aclCommand(int number) {
        return Markdown.read(Markdown.ROOT.resolve("docs/redis.md")).blocks().stream()
                .flatMap(block -> block.text().replace("\\\n", " ").lines())
                .filter(line -> line.contains("ACL SETUSER stoplight"))
                .map(line -> line.replaceFirst(".*ACL SETUSER stoplight", "").replaceAll("['\"]", "") + " ")
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    private static Set<String> everythingWorks(RedisServerProcess redis, String rules, Function<RedisURI, AbstractRedisClient> connect) {
        String[] words = rules.strip().split("\\s+");
        admin(redis, commands -> commands.dispatch(
                CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("stoplight").addValues(words)));
        admin(redis, RedisCommands::configResetstat);
        String password = Stream.of(words).filter(word -> word.startsWith(">")).findFirst().orElseThrow().substring(1);
        RedisURI uri = RedisURI.builder().withHost("127.0.0.1").withPort(redis.port()).withAuthentication("stoplight", password).build();
        AbstractRedisClient client = connect.apply(uri);
        try {
            exercise(redis, client);
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
        List<Map<String, Object>> refused = admin(redis, RedisCommands::aclLog);
        // Lettuce tells Redis its name and does not mind when it may not.
        assertThat(refused).filteredOn(entry -> !entry.get("object").toString().startsWith("client")).isEmpty();
        return RIGHT.matcher(rules).results().map(right -> right.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void exercise(RedisServerProcess redis, AbstractRedisClient client) {
        BreakerSettings settings =
                BreakerSettings.builder().threshold(2).coolOff(Duration.ofMillis(1)).halfOpenCalls(2).recoveryThreshold(2).build();
        RedisBreakerStore store = RedisBreakerStore.builder(client).heartbeat(Duration.ofMillis(50)).timeout(LIMIT).connect();
        try (BreakerRegistry registry = BreakerRegistry.builder().store(store).defaults(settings).build()) {
            Breaker breaker = registry.breaker("payments");
            assertThat(store.status().up()).isTrue();

            // A streak that is cleared, a trip, a recovery by two probes.
            fail(breaker);
            breaker.run(() -> {});
            await().atMost(LIMIT).until(() -> breaker.snapshot().failures() == 0);
            fail(breaker);
            fail(breaker);
            await().atMost(LIMIT).until(() -> breaker.state() == BreakerState.HALF_OPEN);
            Permit first = breaker.acquire();
            Permit second = breaker.acquire();
            first.succeed();
            second.succeed();
            assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.CLOSED);
            assertThat(breaker.details().transitions()).hasSize(3);

            // Counted calls, and a rule that needs several instances, with more failures than are kept.
            Breaker counted = registry.breaker(
                    "counted", BreakerSettings.builder().mode(BreakerMode.RATE).maxAverageLatency(Duration.ofSeconds(1)).build());
            counted.run(() -> {});
            fail(counted);
            registry.flush();
            Breaker careful = registry.breaker("careful", BreakerSettings.builder().minimumInstances(2).build());
            IntStream.rangeClosed(0, FAILURES_KEPT).forEach(failure -> fail(careful));
            assertThat(careful.snapshot().state()).isEqualTo(BreakerState.CLOSED);
            assertThat(careful.snapshot().failures()).isEqualTo(FAILURES_KEPT);

            // What operators do.
            breaker.configure(BreakerSettings.builder().threshold(9).build());
            breaker.clearOverrides();
            breaker.lock(BreakerLock.CLOSED);
            breaker.unlock();
            breaker.reset();
            careful.forget();
            assertThat(registry.known().toCompletableFuture().join()).contains("payments").doesNotContain("careful");

            // Redis loses its scripts and then its memory; a lock comes back.
            breaker.lock(BreakerLock.OPEN);
            admin(redis, RedisCommands::scriptFlush);
            assertThat(breaker.snapshot().lock()).isEqualTo(BreakerLock.OPEN);
            admin(redis, RedisCommands::flushall);
            await().atMost(LIMIT).until(() -> admin(redis, commands -> commands.exists("stoplight:{payments}:state")) == 1);
            assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class);
            assertThat(store.status().up()).isTrue();
        }
    }

    private static void fail(Breaker breaker) {
        assertThatThrownBy(() -> breaker.call(() -> {
                    throw new IllegalStateException("refused");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    /** The commands that the server has run since its statistics were reset. Before Redis 7 it does not tell subcommands apart. */
    private static Set<String> used(RedisServerProcess redis) {
        Set<String> commands = Pattern.compile("cmdstat_([a-z|_]+):calls=[1-9]")
                .matcher(admin(redis, connection -> connection.info("commandstats")))
                .results()
                .map(command -> command.group(1))
                .collect(Collectors.toSet());
        if (commands.contains("client")) {
            commands.add("client|info");
        }
        if (commands.contains("cluster")) {
            commands.addAll(Set.of("cluster|nodes", "cluster|myid"));
        }
        return commands;
    }

    private static <T> T admin(RedisServerProcess redis, Function<RedisCommands<String, String>, T> action) {
        RedisClient client = RedisClient.create(redis.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return action.apply(connection.sync());
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
