package dev.stoplight.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.redis.fleet.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls on every instance of a fleet, half of which fail and so are recorded in Redis one by one, and what their callers saw.
 *
 * <p>Every call is followed by the same one on a breaker in memory. How long those take tells how long this machine keeps a
 * thread waiting for nothing at all, which must not be held against Redis.
 */
final class Load implements AutoCloseable {

    static final String NAME = "under load";

    private static final int THREADS_PER_INSTANCE = 2;
    private static final Duration PAUSE = Duration.ofMillis(2);

    /** Counts, but never trips. */
    static final BreakerSettings SETTINGS =
            BreakerSettings.builder().mode(BreakerMode.COUNT).threshold(1_000_000).window(Duration.ofSeconds(5)).build();

    private record Call(boolean down, long nanos) {}

    private final Duration timeout;
    private final BreakerRegistry memory = BreakerRegistry.inMemory();
    private final ScheduledExecutorService threads;
    private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<Call> controls = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> unexpected = new CopyOnWriteArrayList<>();
    private final int callers;

    Load(Fleet fleet, Duration timeout) {
        this.timeout = timeout;
        this.callers = THREADS_PER_INSTANCE * fleet.instances().size();
        this.threads = Executors.newScheduledThreadPool(callers);
        Breaker control = memory.breaker(NAME, SETTINGS);
        for (Fleet.Instance instance : fleet.instances()) {
            Breaker breaker = instance.registry().breaker(NAME, SETTINGS);
            for (int i = 0; i < THREADS_PER_INSTANCE; i++) {
                AtomicInteger count = new AtomicInteger(i);
                threads.scheduleWithFixedDelay(
                        () -> {
                            boolean fails = count.getAndIncrement() % 2 == 0;
                            boolean down = !instance.isUp();
                            calls.add(new Call(down, call(breaker, fails)));
                            controls.add(new Call(down, call(control, fails)));
                        },
                        0,
                        PAUSE.toMillis(),
                        TimeUnit.MILLISECONDS);
            }
        }
        goesOn();
    }

    private long call(Breaker breaker, boolean fails) {
        Fleet.Boom boom = new Fleet.Boom();
        long start = System.nanoTime();
        try {
            String value = breaker.supply(() -> {
                if (fails) {
                    throw boom;
                }
                return "value";
            });
            if (!value.equals("value") || fails) {
                unexpected.add(new AssertionError("the caller got " + value + " though the call " + (fails ? "failed" : "did not")));
            }
        } catch (Fleet.Boom thrown) {
            if (thrown != boom) {
                unexpected.add(thrown);
            }
        } catch (CircuitOpenException rejected) {
            unexpected.add(new AssertionError("rejected though nothing trips this light", rejected));
        } catch (Throwable thrown) {
            unexpected.add(thrown);
        }
        return System.nanoTime() - start;
    }

    /** Waits until every caller has made some more calls. */
    void goesOn() {
        int enough = calls.size() + 10 * callers;
        Fleet.eventually(Duration.ofSeconds(20), () -> assertThat(calls).hasSizeGreaterThan(enough));
    }

    /**
     * Ends it. No caller saw anything of Redis: no exception; no wait beyond the time limit; and none at all once its instance
     * knew that Redis is away, which at most the calls under way then had to find out.
     */
    void endsWellAfter(int outages) {
        close();
        Duration allowance = longest(controls).multipliedBy(3);
        allowance = allowance.compareTo(Duration.ofMillis(200)) < 0 ? Duration.ofMillis(200) : allowance;
        assertThat(unexpected).isEmpty();
        assertThat(longest(calls)).as("longest call").isLessThan(timeout.plus(allowance));
        assertThat(longest(calls.stream().filter(Call::down).toList())).as("longest call while Redis was known to be away").isLessThan(allowance);
        assertThat(calls.stream().filter(call -> call.nanos >= timeout.toNanos()).count())
                .as("calls that waited for the time limit")
                .isLessThanOrEqualTo((long) callers * outages);
    }

    private static Duration longest(List<Call> calls) {
        return Duration.ofNanos(calls.stream().mapToLong(Call::nanos).max().orElse(0));
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).as("callers end").isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the callers end", e);
        }
        memory.close();
    }
}
