package dev.stoplight.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerFailure;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.CommandSequences;
import dev.stoplight.store.CommandSequences.Player;
import dev.stoplight.store.CommandSequences.Scenario;
import dev.stoplight.store.CommandSequences.Step;
import dev.stoplight.store.Light;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.testing.RedisServerProcess;
import dev.stoplight.testing.TestClock;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is asked, and in whatever order: the scripts in Redis answer as the state machine in memory does. */
final class ScriptsAgreeWithTheStateMachineTest {

    private static RedisContract.Server server;
    private static RedisBreakerStore redis;
    private static TestClock clock = new TestClock();
    private static int breakers;

    @BeforeContainer
    static void start() {
        server = RedisContract.Server.start(new RedisServerProcess());
        redis = RedisBreakerStore.builder(server.client()).timeout(RedisContract.PATIENT).clock(() -> clock.getAsLong()).connect();
    }

    @AfterContainer
    static void stop() {
        redis.close();
        server.stop();
    }

    @Provide
    Arbitrary<Scenario> scenarios() {
        return CommandSequences.scenarios();
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void redisAnswersAsMemoryDoes(@ForAll("scenarios") Scenario scenario) {
        clock = new TestClock();
        String id = "breaker-" + breakers++;
        BreakerStore memory = new MemoryBreakerStore(clock);
        Player player = new Player(scenario, clock);
        for (Step step : scenario.steps()) {
            StoreRequest asked = player.request(step);
            StoreReply expected = answer(memory, id, asked);
            assertThat(plain(answer(redis, id, asked))).as("reply to %s", asked).isEqualTo(plain(expected));
            player.heard(asked, expected);
        }
        StoreRequest last = new StoreRequest(id, "a", scenario.settings(), new StoreCommand.Read(true));
        assertThat(plain(answer(redis, id, last))).as("in the end").isEqualTo(plain(answer(memory, id, last)));
    }

    private static StoreReply answer(BreakerStore store, String id, StoreRequest asked) {
        return store.execute(new StoreRequest(id, asked.instance(), asked.settings(), asked.command())).toCompletableFuture().join();
    }

    /** Without the stamp, which only orders; failures of one moment have no order in Redis. */
    private static StoreReply plain(StoreReply reply) {
        Light light = reply.light();
        Light unstamped = new Light(
                light.state(), light.epoch(), light.sinceMillis(), light.remainingMillis(), light.trips(), light.lock(), light.failures(),
                light.probes(), light.probeSuccesses(), light.nearMinimum(), 0);
        StoreReply.Details details = reply.details();
        if (details != null) {
            List<BreakerFailure> sorted =
                    details.failures().stream().sorted(Comparator.comparing(BreakerFailure::toString)).toList();
            details = new StoreReply.Details(sorted, details.transitions());
        }
        return new StoreReply(
                unstamped, reply.accepted(), reply.instance(), reply.transition(), reply.overrides(), details, reply.forgotten());
    }
}
