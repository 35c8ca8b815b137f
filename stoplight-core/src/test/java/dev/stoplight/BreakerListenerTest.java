package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import dev.stoplight.testing.RecordedEvents;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class BreakerListenerTest {

    private static final BreakerSettings SETTINGS =
            BreakerSettings.builder().threshold(1).coolOff(Duration.ofSeconds(10)).build();

    private final TestClock clock = new TestClock();
    private final MemoryBreakerStore store = new MemoryBreakerStore(clock);
    private final RecordedEvents events = new RecordedEvents();

    private BreakerRegistry registry(BreakerListener... listeners) {
        BreakerRegistry.Builder builder =
                BreakerRegistry.builder().store(store).instance("a").ticker(clock).flushInterval(Duration.ZERO).defaults(SETTINGS);
        List.of(listeners).forEach(builder::listener);
        return builder.build();
    }

    private static void fail(Breaker breaker) {
        IllegalStateException boom = new IllegalStateException("boom");
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw boom;
                }))
                .isSameAs(boom);
    }

    @Test
    void anExceptionInOneListenerHarmsNobody() {
        BreakerRegistry registry = registry(
                event -> {
                    throw new IllegalStateException("a listener that throws, as this test wants");
                },
                events);
        Breaker breaker = registry.breaker("payments");
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        assertThat(events.states()).containsExactly(BreakerState.OPEN);
    }

    @Test
    void anExceptionInAListenerOfCommandsHarmsNobody() {
        AtomicReference<StoreObserver> observer = new AtomicReference<>();
        List<String> heard = new ArrayList<>();
        BreakerStore observed = new ObservedStore(store, observer);
        BreakerListener throwing = new BreakerListener() {
            @Override
            public void onEvent(BreakerEvent event) {}

            @Override
            public void onStoreCommand(String command, boolean answered, long nanos) {
                throw new IllegalStateException("a listener that throws, as this test wants");
            }
        };
        BreakerListener listening = new BreakerListener() {
            @Override
            public void onEvent(BreakerEvent event) {}

            @Override
            public void onStoreCommand(String command, boolean answered, long nanos) {
                heard.add(command + " " + answered + " " + nanos);
            }
        };
        BreakerRegistry.builder().store(observed).listener(throwing).listener(listening).build();
        observer.get().commandDone("record", true, 42);
        assertThat(heard).containsExactly("record true 42");
    }

    @Test
    void aListenerMayUseTheBreakerThatItHearsOf() {
        AtomicReference<BreakerRegistry> registry = new AtomicReference<>();
        registry.set(registry(events, event -> {
            if (event instanceof BreakerEvent.Transitioned opened && opened.transition().to() == BreakerState.OPEN) {
                registry.get().breaker(opened.name()).lock(BreakerLock.CLOSED);
            }
        }));
        Breaker breaker = registry.get().breaker("payments");
        fail(breaker);
        assertThat(breaker.snapshot().lock()).isEqualTo(BreakerLock.CLOSED);
        assertThat(events.states()).containsExactly(BreakerState.OPEN, BreakerState.CLOSED);
    }

    @Test
    void aBreakerIsToldOfWhenItIsFirstUsed() {
        BreakerRegistry registry = registry(events);
        registry.breaker("payments");
        registry.breaker("payments");
        registry.breaker("payments", "acme");
        assertThat(events.all()).containsExactly(new BreakerEvent.Created("payments"));
    }

    @Test
    void anOutageIsToldWithItsLength() {
        AtomicReference<StoreObserver> observer = new AtomicReference<>();
        BreakerRegistry.builder().store(new ObservedStore(store, observer)).listener(events).build();
        StoreStatus down = new StoreStatus(false, Instant.parse("2026-01-01T00:00:00Z"), "connection refused");
        StoreStatus up = new StoreStatus(true, Instant.parse("2026-01-01T00:00:07Z"), "localhost");
        observer.get().statusChanged(down);
        observer.get().statusChanged(up);
        assertThat(events.all()).containsExactly(new BreakerEvent.StoreDown(down), new BreakerEvent.StoreUp(up, Duration.ofSeconds(7)));
    }

    @Test
    void aTransitionMissedDuringAnInterruptionIsToldOnceAndIsNobodysOwn() {
        AtomicReference<StoreObserver> observer = new AtomicReference<>();
        BreakerRegistry deaf = BreakerRegistry.builder()
                .store(new ObservedStore(store, observer))
                .instance("deaf")
                .ticker(clock)
                .flushInterval(Duration.ZERO)
                .defaults(SETTINGS)
                .listener(events)
                .build();
        Breaker breaker = deaf.breaker("payments");
        fail(registry().breaker("payments"));
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);

        StoreRequest reading = new StoreRequest("payments", "deaf", SETTINGS, new StoreCommand.Read(false));
        StoreReply current = store.execute(reading).toCompletableFuture().join();
        observer.get().resynchronised("payments", current);
        observer.get().resynchronised("payments", current);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        assertThat(events.of(BreakerEvent.Transitioned.class)).singleElement().satisfies(event -> {
            assertThat(event.own()).isFalse();
            assertThat(event.transition().to()).isEqualTo(BreakerState.OPEN);
            assertThat(event.transition().reason()).isEqualTo("read from the store");
        });

        // That the cool-off is over is no transition; the first probe makes it one.
        clock.advance(Duration.ofSeconds(10));
        observer.get().resynchronised("payments", store.execute(reading).toCompletableFuture().join());
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
        assertThat(events.states()).containsExactly(BreakerState.OPEN);
        breaker.run(() -> {});
        assertThat(events.states()).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    @Test
    void anErrorInAListenerHarmsNobody() {
        Breaker breaker = registry(
                        event -> {
                            throw new NoClassDefFoundError("a listener that lacks a class, as this test wants");
                        },
                        events)
                .breaker("payments");
        fail(breaker);
        clock.advance(Duration.ofSeconds(10));
        breaker.run(() -> {});
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(events.states()).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }
}
