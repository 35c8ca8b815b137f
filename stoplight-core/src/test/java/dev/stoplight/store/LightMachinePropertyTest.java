package dev.stoplight.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import dev.stoplight.store.CommandSequences.Player;
import dev.stoplight.store.CommandSequences.Scenario;
import dev.stoplight.store.CommandSequences.Step;
import dev.stoplight.testing.TestClock;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is asked of a light, in whatever order. */
final class LightMachinePropertyTest {

    private static final Map<BreakerState, Set<BreakerState>> LEGAL = Map.of(
            BreakerState.CLOSED, Set.of(BreakerState.OPEN),
            BreakerState.OPEN, Set.of(BreakerState.HALF_OPEN),
            BreakerState.HALF_OPEN, Set.of(BreakerState.CLOSED, BreakerState.OPEN));

    private TestClock clock;
    private LightMachine machine;

    @Provide
    Arbitrary<Scenario> scenarios() {
        return CommandSequences.scenarios();
    }

    /** Plays the scenario and shows each question with its answer and the light before it. */
    private void play(Scenario scenario, Check check) {
        clock = new TestClock();
        machine = new LightMachine(false);
        Player player = new Player(scenario, clock);
        Light before = Light.GREEN;
        for (Step step : scenario.steps()) {
            StoreRequest request = player.request(step);
            StoreReply reply = apply(request);
            check.check(before, request, reply);
            player.heard(request, reply);
            before = reply.light();
        }
    }

    @FunctionalInterface
    private interface Check {
        void check(Light before, StoreRequest request, StoreReply reply);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itAnswersAsTheRulesSay(@ForAll("scenarios") Scenario scenario) {
        NaiveLight naive = new NaiveLight();
        play(scenario, (before, request, reply) -> {
            StoreReply expected = naive.apply(request, clock.getAsLong());
            assertThat(plain(reply)).as("reply to %s from %s", request.command(), request.instance()).isEqualTo(expected);
            assertThat(machine.mustPublish()).as("%s is published", request.command()).isEqualTo(naive.published());
        });
    }

    /** Without the stamp and without reasons, which are for people. */
    private static StoreReply plain(StoreReply reply) {
        Light light = reply.light();
        Light unstamped = new Light(
                light.state(), light.epoch(), light.sinceMillis(), light.remainingMillis(), light.trips(), light.lock(), light.failures(),
                light.probes(), light.probeSuccesses(), light.nearMinimum(), 0);
        StoreReply.Details details = reply.details() == null
                ? null
                : new StoreReply.Details(
                        reply.details().failures(),
                        reply.details().transitions().stream().map(LightMachinePropertyTest::plain).toList());
        BreakerTransition transition = reply.transition() == null ? null : plain(reply.transition());
        return new StoreReply(unstamped, reply.accepted(), reply.instance(), transition, reply.overrides(), details, reply.forgotten());
    }

    private static BreakerTransition plain(BreakerTransition transition) {
        return new BreakerTransition(transition.at(), transition.from(), transition.to(), "", transition.instance());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void callsAndProbesMakeOnlyLegalTransitions(@ForAll("scenarios") Scenario scenario) {
        play(scenario, (before, request, reply) -> {
            BreakerTransition transition = reply.transition();
            if (transition != null) {
                assertThat(reply.light().state()).isEqualTo(transition.to());
                if (!request.command().administrative()) {
                    assertThat(LEGAL.get(transition.from())).as("from %s", transition.from()).contains(transition.to());
                }
            } else if (!(request.command() instanceof StoreCommand.Restore || request.command() instanceof StoreCommand.Forget)) {
                boolean cooledOff = before.state() == BreakerState.OPEN && reply.light().state() == BreakerState.HALF_OPEN;
                assertThat(cooledOff || before.state() == reply.light().state()).as("%s to %s", before, reply.light()).isTrue();
            }
        });
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void everyTransitionHasAnEpochOfItsOwnAndNothingElseChangesTheEpoch(@ForAll("scenarios") Scenario scenario) {
        play(scenario, (before, request, reply) -> {
            StoreCommand command = request.command();
            if (command instanceof StoreCommand.Forget) {
                assertThat(reply.light().epoch()).isZero();
            } else if (reply.transition() != null || (command instanceof StoreCommand.Restore && reply.light().epoch() != before.epoch())) {
                assertThat(reply.light().epoch()).isGreaterThan(before.epoch());
            } else {
                assertThat(reply.light().epoch()).isEqualTo(before.epoch());
            }
            assertThat(reply.light().stamp()).isGreaterThan(before.stamp()).isGreaterThanOrEqualTo(clock.getAsLong());
        });
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void thereAreNeverMoreProbesThanAllowed(@ForAll("scenarios") Scenario scenario) {
        Set<String> granted = new HashSet<>();
        play(scenario, (before, request, reply) -> {
            Light light = reply.light();
            if (request.command() instanceof StoreCommand.Acquire acquire && reply.accepted()) {
                int allowed = settings(request).halfOpenCalls();
                boolean fresh = granted.add(acquire.lease());
                // Fewer may be allowed now than when the others were granted; then no new one is.
                assertThat(light.probes()).isPositive();
                if (fresh) {
                    assertThat(light.probes()).isLessThanOrEqualTo(allowed);
                }
            } else {
                assertThat(light.probes()).isLessThanOrEqualTo(before.probes());
            }
            if (light.state() != BreakerState.HALF_OPEN) {
                assertThat(light.probes()).isZero();
                assertThat(light.probeSuccesses()).isZero();
            }
        });
    }

    private BreakerSettings settings(StoreRequest request) {
        StoreRequest read = new StoreRequest(request.id(), request.instance(), request.settings(), new StoreCommand.Read(false));
        return request.settings().overriddenBy(Overrides.parse(apply(read).overrides()));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void timesAndCountsAreNeverNegativeAndNothingGrowsWithoutBound(@ForAll("scenarios") Scenario scenario) {
        play(scenario, (before, request, reply) -> {
            Light light = reply.light();
            assertThat(light.remainingMillis()).isNotNegative();
            assertThat(light.failures()).isNotNegative();
            assertThat(light.trips()).isNotNegative();
            if (reply.details() != null) {
                assertThat(reply.details().failures()).hasSizeLessThanOrEqualTo(50);
                assertThat(reply.details().transitions()).hasSizeLessThanOrEqualTo(50);
            }
            if (light.state() == BreakerState.CLOSED) {
                assertThat(light.remainingMillis()).isZero();
                assertThat(light.trips()).isZero();
            }
        });
    }

    private StoreReply apply(StoreRequest request) {
        return machine.apply(request, clock.getAsLong(), clock.getAsLong());
    }
}
