package dev.stoplight.redis.fleet;

import static dev.stoplight.redis.fleet.Fleet.eventually;
import static dev.stoplight.redis.fleet.Fleet.settings;
import static dev.stoplight.redis.fleet.Fleet.trip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several instances behave as one. */
final class FleetTest {

    private static final int NODES = 3;
    private static final int THREADS = 8;

    private static RedisServerProcess redis;
    private static ExecutorService threads;

    private Fleet fleet;

    @BeforeAll
    static void start() {
        redis = new RedisServerProcess();
        threads = Executors.newFixedThreadPool(NODES * THREADS);
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
        redis.close();
    }

    @BeforeEach
    void joinFleet() {
        fleet = new Fleet(redis.uri()).join(NODES);
    }

    @AfterEach
    void leaveFleet() {
        fleet.close();
    }

    @Test
    void aTripOnOneInstanceRejectsOnTheOthersForTheSameTime() {
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        trip(breakers.get(1));
        eventually(() -> assertThat(breakers)
                .allSatisfy(breaker -> assertThatThrownBy(() -> breaker.run(() -> {})).isInstanceOf(CircuitOpenException.class)));
        long remaining = breakers.get(0).lastSeen().retryAfter().toMillis();
        assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.lastSeen().retryAfter().toMillis()).isCloseTo(remaining, within(1000L)));
    }

    @Test
    void failuresOnSeveralInstancesAddUpAndASuccessOnAnyClearsThem() {
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        for (int i = 0; i < 5; i++) {
            Fleet.fail(breakers.get(0));
            Fleet.fail(breakers.get(1));
            eventually(() -> assertThat(breakers.get(2).lastSeen().failures()).isPositive());
            breakers.get(2).run(() -> {});
            eventually(() -> assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.lastSeen().failures()).isZero()));
        }
        assertThat(breakers.get(0).snapshot().state()).isEqualTo(BreakerState.CLOSED);
        breakers.forEach(Fleet::fail);
        fleet.agrees("payments", BreakerState.OPEN);
    }

    @Test
    void probesNeverExceedTheLimitHoweverManyInstancesAsk() {
        int limit = 2;
        int recovery = 40;
        BreakerSettings settings =
                settings().coolOff(Duration.ofMillis(1)).halfOpenCalls(limit).recoveryThreshold(recovery).build();
        List<Breaker> breakers = fleet.breakers("payments", settings);
        trip(breakers.get(0));
        eventually(() -> assertThat(breakers).allSatisfy(breaker -> assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN)));

        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger probes = new AtomicInteger();
        AtomicLong rejections = new AtomicLong();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (Breaker breaker : breakers) {
            for (int i = 0; i < THREADS; i++) {
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            while (breaker.state() != BreakerState.CLOSED) {
                                try {
                                    breaker.run(() -> {
                                        if (breaker.state() != BreakerState.CLOSED) {
                                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                            probes.incrementAndGet();
                                            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
                                            running.decrementAndGet();
                                        }
                                    });
                                } catch (CircuitOpenException rejected) {
                                    assertThat(rejected.retryAfter()).isGreaterThanOrEqualTo(Duration.ZERO);
                                    rejections.incrementAndGet();
                                    LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
                                }
                            }
                        },
                        threads));
            }
        }
        CompletableFuture.allOf(callers.toArray(CompletableFuture<?>[]::new)).orTimeout(60, TimeUnit.SECONDS).join();

        assertThat(most).hasValueLessThanOrEqualTo(limit);
        assertThat(probes).hasValueBetween(recovery, recovery + limit);
        assertThat(rejections).hasPositiveValue();
        fleet.agrees("payments", BreakerState.CLOSED);
    }

    @Test
    void exactlyOneInstanceReportsEachTransitionAsItsOwn() {
        List<Breaker> breakers = fleet.breakers("payments", settings().build());
        int rounds = 20;
        for (int i = 0; i < rounds; i++) {
            // All of them fail at once; one of them trips the light.
            CompletableFuture.allOf(breakers.stream()
                            .map(breaker -> CompletableFuture.runAsync(() -> trip(breaker), threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
            fleet.agrees("payments", BreakerState.OPEN);
            breakers.get(i % NODES).reset();
            fleet.agrees("payments", BreakerState.CLOSED);
        }
        eventually(() -> assertThat(fleet.instances()).allSatisfy(instance -> assertThat(transitions(instance)).hasSize(2 * rounds)));
        Map<BreakerTransition, List<String>> owners = new HashMap<>();
        for (Fleet.Instance instance : fleet.instances()) {
            for (BreakerEvent.Transitioned event : transitions(instance)) {
                List<String> own = owners.computeIfAbsent(event.transition(), transition -> new ArrayList<>());
                if (event.own()) {
                    own.add(instance.name());
                }
            }
        }
        assertThat(owners).hasSize(2 * rounds).allSatisfy((transition, own) -> assertThat(own).containsExactly(transition.instance()));
        assertThat(owners.keySet().stream().map(BreakerTransition::to).collect(Collectors.groupingBy(to -> to, Collectors.counting())))
                .containsExactlyInAnyOrderEntriesOf(Map.of(BreakerState.OPEN, (long) rounds, BreakerState.CLOSED, (long) rounds));
    }

    private static List<BreakerEvent.Transitioned> transitions(Fleet.Instance instance) {
        return instance.events().of(BreakerEvent.Transitioned.class);
    }

    @Test
    void eachDatabaseOfAServerHasLightsOfItsOwn() {
        Iterator<String> uris = List.of(redis.uri(), redis.uri() + "/1", redis.uri() + "/1").iterator();
        try (Fleet databases = new Fleet(() -> RedisClient.create(Fleet.RESOURCES, uris.next()), store -> store.timeout(Fleet.PATIENT)).join(3)) {
            List<Breaker> breakers = databases.breakers("payments", settings().build());
            breakers.forEach(Breaker::snapshot);
            breakers.get(1).lock(BreakerLock.OPEN);
            eventually(() -> assertThat(breakers.get(2).state()).isEqualTo(BreakerState.OPEN));

            // Messages of one server come in order, whatever their channel, and so do their listeners' events.
            breakers.get(0).lock(BreakerLock.CLOSED);
            eventually(() -> assertThat(databases.instance(0).events().of(BreakerEvent.LockChanged.class)).isNotEmpty());
            assertThat(databases.instance(0).events().of(BreakerEvent.LockChanged.class))
                    .singleElement()
                    .satisfies(event -> assertThat(event.lock()).isEqualTo(BreakerLock.CLOSED));
            assertThat(breakers.get(1).snapshot().lock()).isEqualTo(BreakerLock.OPEN);
        }
    }

    @Test
    void whatFollowsAReadingMayTakeItsTime() {
        fleet.join();
        BreakerRegistry registry = fleet.instance(0).registry();
        Breaker breaker = registry.breaker("payments", settings().build());
        Breaker another = registry.breaker("another", settings().build());
        breaker.snapshot();
        another.snapshot();
        // On the thread that brings answers this would wait for itself.
        CompletionStage<BreakerState> state = breaker.snapshotAsync().thenApply(seen -> another.snapshot().state());
        CompletionStage<BreakerState> known = registry.known().thenApply(ids -> another.snapshot().state());
        assertThat(state.toCompletableFuture().join()).isEqualTo(BreakerState.CLOSED);
        assertThat(known.toCompletableFuture().join()).isEqualTo(BreakerState.CLOSED);
        assertThat(fleet.instance(0).isUp()).isTrue();
    }
}
