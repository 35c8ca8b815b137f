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
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three masters without replicas: messages cross them, slots move between them, one of them dies. */
final class ClusterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration GOSSIP = Duration.ofSeconds(30);

    private static final List<RedisServerProcess> masters = new ArrayList<>();

    private Fleet fleet;

    @BeforeAll
    static void start() {
        for (int i = 0; i < 3; i++) {
            masters.add(new RedisServerProcess("--cluster-enabled", "yes", "--cluster-node-timeout", "5000"));
        }
        for (int i = 0; i < 3; i++) {
            int number = i;
            int[] slots = IntStream.range(0, SlotHash.SLOT_COUNT).filter(slot -> slot % 3 == number).toArray();
            Redis.ask(masters.get(i).uri(), commands -> commands.clusterSetConfigEpoch(number + 1));
            Redis.ask(masters.get(i).uri(), commands -> commands.clusterAddSlots(slots));
            Redis.ask(masters.get(i).uri(), commands -> commands.clusterMeet("127.0.0.1", masters.get(0).port()));
        }
        eventually(GOSSIP, () -> assertThat(masters).allSatisfy(master -> {
            String info = Redis.ask(master.uri(), commands -> commands.clusterInfo());
            assertThat(info).contains("cluster_state:ok", "cluster_known_nodes:3", "cluster_slots_ok:16384");
        }));
    }

    @AfterAll
    static void stop() {
        masters.forEach(RedisServerProcess::close);
    }

    @BeforeEach
    void joinFleet() {
        List<RedisURI> seeds = masters.stream().map(master -> RedisURI.create(master.uri())).toList();
        fleet = new Fleet(() -> RedisClusterClient.create(Fleet.RESOURCES, seeds), store -> store.timeout(TIMEOUT)).join(3);
    }

    @AfterEach
    void leaveFleet() {
        fleet.close();
    }

    @Test
    void theKeysOfABreakerAreInOneSlotAndChangesReachInstancesOnOtherMasters() {
        Set<Integer> on = new HashSet<>();
        for (String name : List.of("payments", "with {braces}", "} backwards {", "{}", "a:{b}:c", "50%7Boff")) {
            List<Breaker> breakers = fleet.breakers(name, settings().coolOff(Duration.ofMillis(1)).build());
            fail(breakers.get(0));
            breakers.get(1).configure(BreakerSettings.builder().threshold(2).build());
            eventually(() -> assertThat(breakers.get(0).settings().threshold()).isEqualTo(2));
            fail(breakers.get(0));
            fleet.agrees(name, BreakerState.HALF_OPEN);
            breakers.get(2).acquire();

            Set<Integer> slots = new HashSet<>();
            for (RedisServerProcess master : masters) {
                Redis.ask(master.uri(), commands -> commands.keys(fleet.prefix() + ":{*"))
                        .forEach(key -> slots.add(SlotHash.getSlot(key)));
            }
            assertThat(slots).as(name).hasSize(1);
            on.addAll(slots.stream().map(slot -> slot % 3).toList());
            breakers.get(2).forget();
        }
        assertThat(on).as("masters with a breaker").hasSizeGreaterThan(1);
    }

    @Test
    void subscriptionsAreNotAllOnOneMaster() {
        String channel = fleet.prefix() + ":events";
        List<Long> subscribers = masters.stream()
                .map(master -> Redis.ask(master.uri(), commands -> commands.pubsubNumsub(channel)).get(channel))
                .toList();
        assertThat(subscribers.stream().mapToLong(Long::longValue).sum()).isEqualTo(3);
        assertThat(subscribers.stream().filter(count -> count > 0).count()).as("masters with subscribers").isGreaterThan(1);
    }

    @Test
    void aSlotMovesUnderLoadAndItsLightsWithIt() {
        try (StoreLog log = new StoreLog();
                Load load = new Load(fleet, TIMEOUT)) {
            List<Breaker> red = fleet.breakers("red", settings().build());
            List<Breaker> locked = fleet.breakers("locked", settings().build());
            trip(red.get(0));
            locked.get(1).lock(BreakerLock.OPEN);
            fleet.agrees("red", BreakerState.OPEN);
            fleet.agrees("locked", BreakerState.OPEN);

            for (String name : List.of("red", "locked", Load.NAME)) {
                move(name, () -> {
                    assertThat(fleet.instances()).allMatch(Fleet.Instance::isUp);
                    load.goesOn();
                });
            }
            fleet.agrees("red", BreakerState.OPEN);
            fleet.agrees("locked", BreakerState.OPEN);
            locked.get(2).unlock();
            red.get(2).reset();
            fleet.agrees("locked", BreakerState.CLOSED);
            fleet.agrees("red", BreakerState.CLOSED);
            trip(red.get(1));
            fleet.agrees("red", BreakerState.OPEN);
            load.goesOn();
            load.endsWellAfter(0);
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void whileItsSlotMovesABreakerIsDecidedByEachInstanceAndAfterwardsByRedisAgain() {
        BreakerSettings settings = settings().mode(BreakerMode.COUNT).build();
        List<Breaker> green = fleet.breakers("green", settings);
        List<Breaker> red = fleet.breakers("red", settings().build());
        fail(green.get(0));
        trip(red.get(0));
        fleet.agrees("red", BreakerState.OPEN);

        move("red", () -> {
            assertThat(red.get(1).snapshot().state()).isEqualTo(BreakerState.OPEN);
            assertThatThrownBy(() -> red.get(2).run(() -> {})).isInstanceOf(CircuitOpenException.class);
        });
        move("green", () -> {
            trip(green.get(0));
            assertThat(green.get(1).supply(() -> "value")).isEqualTo("value");
        });
        fleet.agrees("red", BreakerState.OPEN);
        // Redis saw one failure, and what an instance decided alone does not bind the others.
        fleet.agrees("green", BreakerState.CLOSED);
        fail(green.get(1));
        fail(green.get(2));
        fleet.agrees("green", BreakerState.OPEN);
    }

    /** Moves the slot of that breaker to the next master, key by key; half way through something is tried. */
    private void move(String name, Runnable halfWay) {
        int slot = SlotHash.getSlot(fleet.prefix() + ":{" + name + "}:state");
        RedisServerProcess source = masters.stream().filter(master -> owns(master, slot)).findFirst().orElseThrow();
        RedisServerProcess target = masters.get((masters.indexOf(source) + 1) % masters.size());
        String sourceId = Redis.ask(source.uri(), commands -> commands.clusterMyId());
        String targetId = Redis.ask(target.uri(), commands -> commands.clusterMyId());

        Redis.ask(target.uri(), commands -> commands.clusterSetSlotImporting(slot, sourceId));
        Redis.ask(source.uri(), commands -> commands.clusterSetSlotMigrating(slot, targetId));
        List<String> keys = keysIn(source, slot);
        assertThat(keys).as("keys in the slot of " + name).isNotEmpty();
        migrate(source, target, keys.subList(0, 1));
        halfWay.run();
        migrate(source, target, keysIn(source, slot));
        for (RedisServerProcess master : List.of(target, source)) {
            Redis.ask(master.uri(), commands -> commands.clusterSetSlotNode(slot, targetId));
        }
        assertThat(keysIn(target, slot)).containsAll(keys);
    }

    private static boolean owns(RedisServerProcess master, int slot) {
        String nodes = Redis.ask(master.uri(), commands -> commands.clusterNodes());
        String own = nodes.lines().filter(line -> line.contains("myself")).findFirst().orElseThrow();
        String[] fields = own.split(" ");
        for (int i = 8; i < fields.length; i++) {
            String[] range = fields[i].split("-");
            if (!fields[i].startsWith("[") && Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1])) {
                return true;
            }
        }
        return false;
    }

    private static List<String> keysIn(RedisServerProcess master, int slot) {
        return Redis.ask(master.uri(), commands -> commands.clusterGetKeysInSlot(slot, 100));
    }

    private static void migrate(RedisServerProcess source, RedisServerProcess target, List<String> keys) {
        if (!keys.isEmpty()) {
            Redis.ask(source.uri(), commands -> commands.migrate("127.0.0.1", target.port(), 0, 5000, MigrateArgs.Builder.keys(keys)));
        }
    }

    @Test
    void aMasterThatComesBackEmptyGetsItsLightsAgain() {
        StoreLog log = new StoreLog();
        List<Breaker> red = fleet.breakers("red", settings().build());
        trip(red.get(0));
        fleet.agrees("red", BreakerState.OPEN);
        Load load = new Load(fleet, TIMEOUT);
        int slot = SlotHash.getSlot(fleet.prefix() + ":{red}:state");
        RedisServerProcess master = masters.stream().filter(candidate -> owns(candidate, slot)).findFirst().orElseThrow();

        master.kill();
        // Whoever needs that master finds out; for the others Redis is there.
        fleet.breakers("red", settings().build()).forEach(Breaker::snapshot);
        assertThat(red).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.OPEN));
        load.goesOn();
        master.restart();
        eventually(GOSSIP, () -> assertThat(Redis.ask(master.uri(), commands -> commands.clusterInfo()).contains("cluster_state:ok")).isTrue());
        fleet.allUp();
        fleet.agrees("red", BreakerState.OPEN);
        eventually(() -> {
            String inRedis = Redis.ask(master.uri(), commands -> commands.hget(fleet.prefix() + ":{red}:state", "state"));
            assertThat(inRedis).isEqualTo("OPEN");
        });
        red.get(1).reset();
        fleet.agrees("red", BreakerState.CLOSED);
        load.goesOn();
        load.endsWellAfter(2);
        log.close();
    }

    @Test
    void aMasterThatRefusesToWriteIsOneOutageUntilItWritesAgain() {
        // Another master than that of the listing, which is written to in any case.
        int listing = SlotHash.getSlot(fleet.prefix() + ":breakers") % 3;
        String name = Stream.iterate(0, i -> i + 1).map(i -> "breaker-" + i).filter(n -> SlotHash.getSlot(n) % 3 != listing).findFirst().orElseThrow();
        RedisServerProcess refusing = masters.get(SlotHash.getSlot(name) % 3);
        Fleet.Instance instance = fleet.instance(0);
        Breaker breaker = instance.registry().breaker(name, settings().threshold(1_000_000).build());
        breaker.snapshot();
        try {
            Redis.ask(refusing.uri(), commands -> commands.configSet("min-replicas-to-write", "1"));
            fail(breaker);
            eventually(() -> assertThat(instance.isUp()).isFalse());
            long asked = heartbeats(refusing);
            eventually(GOSSIP, () -> assertThat(heartbeats(refusing)).isGreaterThan(asked + 2));
            fail(breaker);
            assertThat(instance.events().of(BreakerEvent.StoreUp.class)).isEmpty();
        } finally {
            Redis.ask(refusing.uri(), commands -> commands.configSet("min-replicas-to-write", "0"));
        }
        fleet.allUp();
        eventually(() -> assertThat(instance.events().of(BreakerEvent.StoreDown.class)).hasSize(1));
    }

    /** How often the server was asked whether it may be written to: on every look at it. */
    private static long heartbeats(RedisServerProcess server) {
        Matcher refused = Pattern.compile("cmdstat_zremrangebyscore:.*rejected_calls=(\\d+)").matcher(Redis.ask(server.uri(), commands -> commands.info("commandstats")));
        return refused.find() ? Long.parseLong(refused.group(1)) : 0;
    }
}
