package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.testing.ForwardingStore;
import dev.stoplight.testing.RecordedEvents;
import dev.stoplight.testing.RecordingStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

class StoplightAutoConfigurationTests {

    static class Service {

        @CircuitBreaker(name = "service", threshold = 2)
        public void fail() {
            throw new IllegalStateException("down");
        }
    }

    private final ApplicationContextRunner runner = Contexts.runner(Service.class);

    @Test
    void theRegistryKeepsItsLightsInMemoryWithoutRedisAndTheBreakersAreThereAtOnce() {
        runner.run(context -> {
            BreakerRegistry registry = context.getBean(BreakerRegistry.class);

            assertThat(registry.storeType()).isEqualTo("memory");
            assertThat(registry.breakers()).extracting(Breaker::name).containsExactly("service");
        });
    }

    @Test
    void switchedOffEveryBreakerLetsItsCallsThroughAndTheRegistryIsStillThere() {
        runner.withPropertyValues("stoplight.enabled=false", "stoplight.breakers.service.enabled=true").run(context -> {
            Breaker breaker = context.getBean(BreakerRegistry.class).breaker("service");
            for (int i = 0; i < 5; i++) {
                assertThatIllegalStateException().isThrownBy(context.getBean(Service.class)::fail);
                assertThatIllegalStateException().isThrownBy(() -> breaker.run(() -> {
                    throw new IllegalStateException();
                }));
            }

            assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
            assertThat(context).doesNotHaveBean(CircuitBreakerPostProcessor.class);
        });
    }

    @Test
    void everySettingCanBeADefault() {
        runner.withPropertyValues(
                        "stoplight.defaults.enabled=false",
                        "stoplight.defaults.mode=rate",
                        "stoplight.defaults.threshold=4",
                        "stoplight.defaults.window=30s",
                        "stoplight.defaults.cool-off=PT2M",
                        "stoplight.defaults.cool-off-multiplier=2",
                        "stoplight.defaults.max-cool-off=1h",
                        "stoplight.defaults.failure-rate=0.25",
                        "stoplight.defaults.minimum-calls=7",
                        "stoplight.defaults.slow-call=2s",
                        "stoplight.defaults.max-average-latency=500ms",
                        "stoplight.defaults.minimum-instances=2",
                        "stoplight.defaults.half-open-calls=3",
                        "stoplight.defaults.probe-timeout=5s",
                        "stoplight.defaults.recovery-threshold=6",
                        "stoplight.defaults.record-exceptions=java.io.IOException,java.lang.IllegalStateException",
                        "stoplight.defaults.ignore-exceptions=java.io.FileNotFoundException",
                        "stoplight.defaults.record-messages=false")
                .run(context -> {
                    BreakerSettings settings = context.getBean(BreakerRegistry.class).breaker("any").settings();

                    assertThat(settings.enabled()).isFalse();
                    assertThat(settings.mode()).isEqualTo(BreakerMode.RATE);
                    assertThat(settings.threshold()).isEqualTo(4);
                    assertThat(settings.window()).isEqualTo(Duration.ofSeconds(30));
                    assertThat(settings.coolOff()).isEqualTo(Duration.ofMinutes(2));
                    assertThat(settings.coolOffMultiplier()).isEqualTo(2.0);
                    assertThat(settings.maxCoolOff()).isEqualTo(Duration.ofHours(1));
                    assertThat(settings.failureRate()).isEqualTo(0.25);
                    assertThat(settings.minimumCalls()).isEqualTo(7);
                    assertThat(settings.slowCall()).contains(Duration.ofSeconds(2));
                    assertThat(settings.maxAverageLatency()).contains(Duration.ofMillis(500));
                    assertThat(settings.minimumInstances()).isEqualTo(2);
                    assertThat(settings.halfOpenCalls()).isEqualTo(3);
                    assertThat(settings.probeTimeout()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(settings.recoveryThreshold()).isEqualTo(6);
                    assertThat(settings.recordExceptions()).isEqualTo(Set.of("java.io.IOException", "java.lang.IllegalStateException"));
                    assertThat(settings.ignoreExceptions()).isEqualTo(Set.of("java.io.FileNotFoundException"));
                    assertThat(settings.recordMessages()).isFalse();
                });
    }

    @Test
    void theInstanceHasTheConfiguredIdOrOneOfItsOwn() {
        runner.withPropertyValues("stoplight.instance-id=pod-7")
                .run(context -> assertThat(context.getBean(BreakerRegistry.class).instance()).isEqualTo("pod-7"));
        runner.run(context -> assertThat(context.getBean(BreakerRegistry.class).instance()).isNotBlank());
    }

    @Configuration(proxyBeanMethods = false)
    static class Recording {

        @Bean
        RecordingStore recordingStore() {
            return new RecordingStore(new MemoryBreakerStore(new TestClock()));
        }
    }

    @Test
    void countedCallsAreSentAtTheConfiguredInterval() {
        Contexts.runner(Recording.class)
                .withPropertyValues("stoplight.flush-interval=1ms", "stoplight.defaults.mode=rate")
                .run(context -> {
                    context.getBean(BreakerRegistry.class).breaker("rated").run(() -> {});

                    await().until(() -> sent(context.getBean(RecordingStore.class)));
                });
        Contexts.runner(Recording.class)
                .withPropertyValues("stoplight.flush-interval=0", "stoplight.defaults.mode=rate")
                .run(context -> {
                    context.getBean(BreakerRegistry.class).breaker("rated").run(() -> {});
                    assertThat(sent(context.getBean(RecordingStore.class))).isFalse();

                    context.getBean(BreakerRegistry.class).flush();
                    assertThat(sent(context.getBean(RecordingStore.class))).isTrue();
                });
    }

    private static boolean sent(RecordingStore store) {
        return store.requests().stream().anyMatch(request -> request.command() instanceof StoreCommand.Count);
    }

    @Test
    void aRegistryOfTheUsersOwnReplacesOursAndStillKnowsTheAnnotations() {
        runner.withBean("mine", BreakerRegistry.class, BreakerRegistry::inMemory)
                .withPropertyValues("stoplight.breakers.service.window=7s")
                .run(context -> {
                    assertThat(context).hasSingleBean(BreakerRegistry.class).hasBean("mine");
                    assertThat(context).doesNotHaveBean(BreakerStore.class).doesNotHaveBean(SpringListener.class);
                    assertThat(Contexts.breaker(context, "service").settings().threshold()).isEqualTo(2);
                    assertThat(Contexts.breaker(context, "service").settings().window()).isEqualTo(Duration.ofSeconds(7));
                });
    }

    @Test
    void aStoreOfTheUsersOwnIsUsed() {
        MemoryBreakerStore store = new MemoryBreakerStore();
        runner.withBean(BreakerStore.class, () -> store).run(context -> {
            Contexts.breaker(context, "service").lock(BreakerLock.OPEN);

            assertThat(store.known().toCompletableFuture().join()).containsExactly("service");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        private final List<String> order = new ArrayList<>();

        @Bean
        @Order(2)
        BreakerCustomizer second() {
            return builder -> {
                order.add("second");
                builder.instance("customized");
            };
        }

        @Bean
        @Order(1)
        BreakerCustomizer first() {
            return builder -> {
                order.add("first");
                builder.instance("overridden").defaults(BreakerSettings.builder().minimumCalls(99).build());
            };
        }
    }

    @Test
    void customizersHaveTheLastWordInTheirOrder() {
        Contexts.runner(Customizers.class, Service.class)
                .withPropertyValues("stoplight.instance-id=configured")
                .run(context -> {
                    assertThat(context.getBean(Customizers.class).order).containsExactly("first", "second");
                    assertThat(context.getBean(BreakerRegistry.class).instance()).isEqualTo("customized");
                    assertThat(Contexts.breaker(context, "service").settings().minimumCalls()).isEqualTo(99);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        private final List<BreakerEvent> published = Collections.synchronizedList(new ArrayList<>());

        @Bean
        RecordedEvents recordedEvents() {
            return new RecordedEvents();
        }

        @Bean
        @Order(0)
        BreakerListener broken() {
            return event -> {
                throw new IllegalStateException("a broken listener");
            };
        }

        @EventListener
        void on(BreakerEvent event) {
            published.add(event);
        }
    }

    @Test
    void eventsReachListenerBeansAndArePublishedAsApplicationEventsEvenWhenAListenerFails() {
        Contexts.runner(Listening.class, Service.class).run(context -> {
            Breaker breaker = Contexts.breaker(context, "service");
            breaker.lock(BreakerLock.OPEN);
            breaker.configure(BreakerSettings.builder().threshold(9).build());

            RecordedEvents heard = context.getBean(RecordedEvents.class);
            await().until(() -> !heard.of(BreakerEvent.SettingsChanged.class).isEmpty());
            assertThat(heard.all()).hasAtLeastOneElementOfType(BreakerEvent.Created.class);
            assertThat(heard.states()).containsExactly(BreakerState.OPEN);
            assertThat(heard.of(BreakerEvent.LockChanged.class)).hasSize(1);
            await().until(() -> context.getBean(Listening.class).published.containsAll(heard.all()));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Timing {

        private final AtomicReference<StoreObserver> observer = new AtomicReference<>();
        private final List<String> timed = new CopyOnWriteArrayList<>();

        @Bean
        BreakerStore store() {
            return new ForwardingStore(new MemoryBreakerStore()) {
                @Override
                public Runnable subscribe(StoreObserver subscriber) {
                    observer.set(subscriber);
                    return super.subscribe(subscriber);
                }
            };
        }

        @Bean
        @Order(0)
        BreakerListener broken() {
            return listener(command -> {
                throw new IllegalStateException("a broken listener");
            });
        }

        @Bean
        @Order(1)
        BreakerListener timer() {
            return listener(timed::add);
        }

        private static BreakerListener listener(Consumer<String> commands) {
            return new BreakerListener() {
                @Override
                public void onEvent(BreakerEvent event) {}

                @Override
                public void onStoreCommand(String command, boolean answered, long nanos) {
                    commands.accept(command);
                }
            };
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aListenerThatFailsOnTheStoresCommandsKeepsThemFromNoOtherAndIsLoggedOnce(CapturedOutput output) {
        Contexts.runner(Timing.class, Service.class).run(context -> {
            Timing timing = context.getBean(Timing.class);
            timing.observer.get().commandDone("record", true, 42);
            timing.observer.get().commandDone("acquire", true, 42);

            assertThat(timing.timed).containsExactly("record", "acquire");
            assertThat(output.toString().lines().filter(line -> line.contains("WARN"))).singleElement().asString()
                    .contains("A listener failed on the store's command 'record'; if it does so again, that is not logged");
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aTransitionIsLoggedOnceAsAWarningWhenTheLightTurnsRedAndAsInformationOtherwise(CapturedOutput output) {
        MemoryBreakerStore shared = new MemoryBreakerStore();
        ApplicationContextRunner sharing = runner.withBean(BreakerStore.class, () -> shared);
        sharing.withPropertyValues("stoplight.instance-id=one").run(one -> sharing.withPropertyValues("stoplight.instance-id=two")
                .run(two -> {
                    for (int i = 0; i < 2; i++) {
                        assertThatIllegalStateException().isThrownBy(one.getBean(Service.class)::fail);
                    }
                    Contexts.breaker(two, "service").reset();
                    await().until(() -> output.toString().contains("from OPEN to CLOSED"));

                    assertThat(output.toString().lines().filter(line -> line.contains("Breaker 'service' went")))
                            .satisfiesExactly(
                                    red -> assertThat(red)
                                            .contains("WARN")
                                            .endsWith("Breaker 'service' went from CLOSED to OPEN: 2 failures in a row"
                                                    + " (java.lang.IllegalStateException: down)"),
                                    green -> assertThat(green).contains("INFO").contains("from OPEN to CLOSED"));
                }));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void namesThatMatchNoAnnotationAreAllowedAndLoggedForDebugging(CapturedOutput output) {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        logging.setLogLevel(CircuitBreakerPostProcessor.class.getName(), LogLevel.DEBUG);
        try {
            runner.withPropertyValues("stoplight.breakers.elsewhere.threshold=5", "stoplight.breakers.service.threshold=5").run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(BreakerRegistry.class).breaker("elsewhere").settings().threshold()).isEqualTo(5);
                assertThat(output)
                        .contains("No @CircuitBreaker has these names, which are configured under stoplight.breakers: [elsewhere]");
            });
        } finally {
            logging.setLogLevel(CircuitBreakerPostProcessor.class.getName(), null);
        }
    }

    @Test
    void theRegistryIsClosedWithTheContext() {
        Set<Thread> before = flushers();
        runner.run(context -> {
            Set<Thread> own = flushers();
            own.removeAll(before);
            assertThat(own).hasSize(1);
            context.close();
            await().until(() -> own.stream().noneMatch(Thread::isAlive));
        });
    }

    /** Those of other tests' contexts, which may be kept for later, are among them. */
    private static Set<Thread> flushers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("stoplight-flush"))
                .collect(Collectors.toSet());
    }
}
