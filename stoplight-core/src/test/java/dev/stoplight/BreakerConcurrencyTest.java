package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads on three nodes that share one light. Time stands still unless a test moves it. */
@Timeout(60)
final class BreakerConcurrencyTest {

    private static final int THREADS = 12;
    private static final int ROUNDS = 10;

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private final List<Node> nodes = Stream.of("a", "b", "c").map(name -> new Node(name, store, clock)).toList();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void end() {
        threads.shutdownNow();
        nodes.forEach(Node::close);
    }

    private static BreakerSettings.Builder settings() {
        return BreakerSettings.builder().threshold(1).coolOff(Duration.ofSeconds(10));
    }

    private List<Breaker> breakers(String name, BreakerSettings.Builder settings) {
        return nodes.stream().map(node -> node.registry.breaker(name, settings.build())).toList();
    }

    @FunctionalInterface
    private interface Task {
        void run(int thread) throws Exception;
    }

    /** Lets every thread begin at once and waits until all have ended; whatever one of them throws fails the test. */
    private void inParallel(Task task) throws InterruptedException, ExecutionException {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            running.add(threads.submit(() -> {
                start.await(30, TimeUnit.SECONDS);
                task.run(thread);
                return null;
            }));
        }
        for (Future<?> future : running) {
            future.get();
        }
    }

    private static void fail(Breaker breaker) {
        try {
            breaker.run(() -> {
                throw new IllegalStateException("boom");
            });
        } catch (CircuitOpenException rejected) {
            throw rejected;
        } catch (IllegalStateException boom) {
            assertThat(boom).hasMessage("boom");
        }
    }

    /** Whether it ran; a rejection is an answer too. */
    private static boolean tryToRun(Breaker breaker, Runnable call) {
        try {
            breaker.run(call);
            return true;
        } catch (CircuitOpenException rejected) {
            return false;
        }
    }

    /** In whatever order: two transitions made on different threads may be heard of in either. */
    private void everyoneHeardOnceAndOneIsToNotify(String name, BreakerState... states) {
        List<BreakerState> owned = new ArrayList<>();
        for (Node node : nodes) {
            List<BreakerState> heard = new ArrayList<>();
            for (BreakerEvent.Transitioned event : node.events.of(BreakerEvent.Transitioned.class)) {
                if (event.name().equals(name)) {
                    heard.add(event.transition().to());
                    if (event.own()) {
                        owned.add(event.transition().to());
                    }
                }
            }
            assertThat(heard).as("heard by " + node.instance).containsExactlyInAnyOrder(states);
        }
        assertThat(owned).as("owned").containsExactlyInAnyOrder(states);
    }

    @ParameterizedTest
    @EnumSource(BreakerMode.class)
    void noFailureIsLostAndTheLastOneTrips(BreakerMode mode) throws Exception {
        int each = 50;
        int threshold = THREADS * each + 1;
        for (int round = 0; round < ROUNDS; round++) {
            String name = "round-" + round;
            List<Breaker> breakers = breakers(name, settings().mode(mode).threshold(threshold).failureRate(1).minimumCalls(threshold));
            inParallel(thread -> {
                for (int i = 0; i < each; i++) {
                    fail(breakers.get((thread + i) % 3));
                }
            });
            assertThat(breakers.get(0).snapshot().failures()).isEqualTo(threshold - 1);
            assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.CLOSED);

            fail(breakers.get(round % 3));
            assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.OPEN);
            everyoneHeardOnceAndOneIsToNotify(name, BreakerState.OPEN);
        }
    }

    @ParameterizedTest
    @EnumSource(BreakerMode.class)
    void howeverManyFailAtOnceThereIsOneTransition(BreakerMode mode) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String name = "round-" + round;
            List<Breaker> breakers = breakers(name, settings().mode(mode).threshold(5).minimumCalls(5));
            AtomicInteger ran = new AtomicInteger();
            inParallel(thread -> {
                for (int i = 0; i < 50; i++) {
                    try {
                        breakers.get(thread % 3).run(() -> {
                            ran.incrementAndGet();
                            throw new IllegalStateException("boom");
                        });
                    } catch (CircuitOpenException rejected) {
                        return;
                    } catch (IllegalStateException boom) {
                        assertThat(boom).hasMessage("boom");
                    }
                }
            });
            assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.OPEN);
            everyoneHeardOnceAndOneIsToNotify(name, BreakerState.OPEN);
            // Those that were under way when the light turned red ran too, but no more.
            assertThat(ran.get()).isBetween(5, 5 + THREADS);
            long counted = breakers.stream().mapToLong(breaker -> breaker.calls().failed()).sum();
            assertThat(counted).isEqualTo(ran.get());
        }
    }

    @RepeatedTest(ROUNDS)
    void successesAreAllCounted() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().mode(BreakerMode.RATE).minimumCalls(1_000_000));
        inParallel(thread -> {
            for (int i = 0; i < 1000; i++) {
                breakers.get(thread % 3).run(() -> {});
                if (i % 100 == thread) {
                    nodes.get(thread % 3).registry.flush();
                }
            }
        });
        assertThat(breakers.stream().mapToLong(breaker -> breaker.calls().succeeded()).sum()).isEqualTo(THREADS * 1000L);
        nodes.forEach(node -> node.registry.flush());
        breakers.get(0).configure(BreakerSettings.builder().minimumCalls(THREADS * 1000 + 1).failureRate(0.00001).build());
        fail(breakers.get(1));
        assertThat(breakers.get(2).details().transitions().get(0).reason()).contains("% of " + (THREADS * 1000 + 1) + " calls");
    }

    @RepeatedTest(ROUNDS)
    void neverMoreProbesRunThanAreAllowedInTheFleet() throws Exception {
        int allowed = 2;
        List<Breaker> breakers = breakers("payments", settings().halfOpenCalls(allowed).recoveryThreshold(1_000_000));
        fail(breakers.get(0));
        clock.advance(Duration.ofSeconds(10));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        inParallel(thread -> {
            for (int i = 0; i < 500; i++) {
                if (tryToRun(breakers.get(thread % 3), () -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    running.decrementAndGet();
                })) {
                    ran.incrementAndGet();
                }
            }
        });
        assertThat(most.get()).isBetween(1, allowed);
        assertThat(ran.get()).isGreaterThanOrEqualTo(THREADS);
        BreakerSnapshot snapshot = breakers.get(0).snapshot();
        assertThat(snapshot.state()).isEqualTo(BreakerState.HALF_OPEN);
        assertThat(snapshot.probes()).isZero();
        everyoneHeardOnceAndOneIsToNotify("payments", BreakerState.OPEN, BreakerState.HALF_OPEN);
    }

    @RepeatedTest(ROUNDS)
    void heldProbesAreGrantedExactlyAsOftenAsAllowed() throws Exception {
        int allowed = 5;
        List<Breaker> breakers = breakers("payments", settings().halfOpenCalls(allowed).recoveryThreshold(allowed));
        fail(breakers.get(0));
        clock.advance(Duration.ofSeconds(10));
        Set<Permit> granted = ConcurrentHashMap.newKeySet();
        inParallel(thread -> {
            for (int i = 0; i < 20; i++) {
                try {
                    granted.add(breakers.get(thread % 3).acquire());
                } catch (CircuitOpenException rejected) {
                    assertThat(rejected.state()).isEqualTo(BreakerState.HALF_OPEN);
                }
            }
        });
        assertThat(granted).hasSize(allowed);

        List<Permit> permits = List.copyOf(granted);
        inParallel(thread -> permits.get(thread % allowed).succeed());
        assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.CLOSED);
        everyoneHeardOnceAndOneIsToNotify("payments", BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    @RepeatedTest(ROUNDS)
    void theLightClosesOnceAndStartsEmpty() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().halfOpenCalls(3).recoveryThreshold(20));
        fail(breakers.get(0));
        clock.advance(Duration.ofSeconds(10));
        inParallel(thread -> {
            Breaker breaker = breakers.get(thread % 3);
            while (breaker.state() != BreakerState.CLOSED) {
                tryToRun(breaker, () -> {});
            }
            breaker.run(() -> {});
        });
        assertThat(breakers.get(0).snapshot().failures()).isZero();
        everyoneHeardOnceAndOneIsToNotify("payments", BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    @RepeatedTest(ROUNDS)
    void afterAStormOfLocksAndCallsEveryNodeBelievesWhatTheStoreSays() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().threshold(2).halfOpenCalls(2));
        inParallel(thread -> {
            Breaker breaker = breakers.get(thread % 3);
            for (int i = 0; i < 300; i++) {
                if (thread < 4) {
                    switch ((thread + i) % 4) {
                        case 0 -> breaker.lock(BreakerLock.OPEN);
                        case 1 -> breaker.unlock();
                        case 2 -> breaker.lock(BreakerLock.CLOSED);
                        default -> breaker.reset();
                    }
                } else if ((thread + i) % 3 == 0) {
                    tryToRun(breaker, () -> {});
                } else {
                    try {
                        fail(breaker);
                    } catch (CircuitOpenException rejected) {
                        clock.advance(Duration.ofMillis(500));
                    }
                }
            }
        });
        everyNodeBelievesWhatTheStoreSays(breakers);

        breakers.get(0).lock(BreakerLock.OPEN);
        breakers.get(1).unlock();
        assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.CLOSED);
        fail(breakers.get(2));
        assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.CLOSED);
        fail(breakers.get(0));
        assertThat(breakers).extracting(Breaker::state).containsOnly(BreakerState.OPEN);
    }

    private static void everyNodeBelievesWhatTheStoreSays(List<Breaker> breakers) {
        List<BreakerSnapshot> believed = breakers.stream().map(Breaker::lastSeen).toList();
        for (int i = 0; i < breakers.size(); i++) {
            BreakerSnapshot told = breakers.get(i).snapshot();
            BreakerSnapshot seen = believed.get(i);
            assertThat(seen.state()).isEqualTo(told.state());
            assertThat(seen.lock()).isEqualTo(told.lock());
            assertThat(seen.since()).isEqualTo(told.since());
            assertThat(seen.settings()).isEqualTo(told.settings());
        }
    }

    @RepeatedTest(ROUNDS)
    void aLockThatHoldsLetsNothingThrough() throws Exception {
        List<Breaker> breakers = breakers("payments", settings());
        AtomicBoolean locked = new AtomicBoolean();
        AtomicInteger wrongly = new AtomicInteger();
        inParallel(thread -> {
            if (thread == 0) {
                breakers.get(0).lock(BreakerLock.OPEN);
                locked.set(true);
                return;
            }
            Breaker breaker = breakers.get(thread % 3);
            for (int i = 0; i < 2000; i++) {
                boolean before = locked.get();
                if (tryToRun(breaker, () -> {}) && before) {
                    wrongly.incrementAndGet();
                }
            }
        });
        assertThat(wrongly).hasValue(0);
    }

    @RepeatedTest(ROUNDS)
    void changedSettingsReachEveryNodeWhateverElseHappens() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().threshold(1_000_000));
        List<Breaker> keys = nodes.stream().map(node -> node.registry.breaker("payments", "acme")).toList();
        inParallel(thread -> {
            Breaker breaker = breakers.get(thread % 3);
            for (int i = 0; i < 200; i++) {
                if (thread < 4) {
                    breaker.configure(BreakerSettings.builder().threshold(1_000_000 + thread * 1000 + i).build());
                } else {
                    fail(breaker);
                    fail(keys.get(thread % 3));
                    nodes.get(thread % 3).registry.breaker("payments", "key-" + i).run(() -> {});
                }
            }
        });
        everyNodeBelievesWhatTheStoreSays(breakers);
        everyNodeBelievesWhatTheStoreSays(keys);
        BreakerSettings all = breakers.get(0).settings();
        assertThat(breakers).extracting(Breaker::settings).containsOnly(all);
        assertThat(keys).extracting(Breaker::settings).containsOnly(all);
        for (Node node : nodes) {
            assertThat(IntStream.range(0, 200).mapToObj(i -> node.registry.breaker("payments", "key-" + i)))
                    .extracting(Breaker::settings)
                    .containsOnly(all);
        }
    }

    @RepeatedTest(ROUNDS)
    void aBreakerForgottenUnderLoadRejectsNobody() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().threshold(1_000_000));
        inParallel(thread -> {
            Breaker breaker = breakers.get(thread % 3);
            for (int i = 0; i < 300; i++) {
                if (thread == 0) {
                    breaker.forget();
                } else if (i % 2 == 0) {
                    breaker.run(() -> {});
                } else {
                    fail(breaker);
                }
            }
        });
        breakers.forEach(breaker -> breaker.run(() -> {}));
        for (int i = 0; i < 3; i++) {
            assertThat(nodes.get(i).registry.find("payments")).contains(breakers.get(i));
        }
        breakers.get(0).reset();
        everyNodeBelievesWhatTheStoreSays(breakers);
    }

    @RepeatedTest(ROUNDS)
    void aNameAndAKeyHaveOneBreakerHoweverManyAskAtOnce() throws Exception {
        Set<Breaker> found = ConcurrentHashMap.newKeySet();
        Set<Breaker> keys = ConcurrentHashMap.newKeySet();
        inParallel(thread -> {
            found.add(nodes.get(0).registry.breaker("payments"));
            keys.add(nodes.get(0).registry.breaker("payments", "acme"));
        });
        assertThat(found).hasSize(1);
        assertThat(keys).hasSize(1);
        assertThat(nodes.get(0).events.of(BreakerEvent.Created.class)).hasSize(1);
    }

    @RepeatedTest(ROUNDS)
    void aPermitSettledByManyThreadsCountsOnce() throws Exception {
        List<Breaker> breakers = breakers("payments", settings().threshold(100));
        Permit permit = breakers.get(0).acquire();
        inParallel(thread -> {
            switch (thread % 3) {
                case 0 -> permit.succeed();
                case 1 -> permit.fail(new IllegalStateException("boom"));
                default -> permit.release();
            }
        });
        BreakerCalls calls = breakers.get(0).calls();
        assertThat(calls.succeeded() + calls.failed()).isLessThanOrEqualTo(1);
        assertThat(breakers.get(1).snapshot().failures()).isEqualTo((int) calls.failed());
    }
}
