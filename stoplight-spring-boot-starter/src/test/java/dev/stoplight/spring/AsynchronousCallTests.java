package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.SlowStore;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.AopTestUtils;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/**
 * BEHAVIOURS 22: {@code CompletionStage}, {@code Mono} and {@code Flux} are recorded on completion, error or cancellation, once;
 * rejection arrives through them.
 */
class AsynchronousCallTests {

    static class Service {

        final AtomicInteger calls = new AtomicInteger();
        Supplier<Object> answer = () -> {
            throw new AssertionError("no answer");
        };

        @SuppressWarnings("unchecked")
        private <T> T answer() {
            calls.incrementAndGet();
            return (T) answer.get();
        }

        @CircuitBreaker(name = "future", threshold = 1)
        public CompletableFuture<String> future() {
            return answer();
        }

        @CircuitBreaker(name = "stage", threshold = 1, fallback = "spareStage")
        public CompletionStage<String> stage(String id) {
            return answer();
        }

        private CompletableFuture<String> spareStage(String id, IllegalStateException cause) {
            return CompletableFuture.completedFuture("spare " + id + " " + cause.getMessage());
        }

        private CompletableFuture<String> spareStage(String id, CircuitOpenException cause) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("even the spare"));
        }

        @CircuitBreaker(name = "mono", threshold = 1)
        public Mono<String> mono() {
            return answer();
        }

        @CircuitBreaker(name = "flux", threshold = 1)
        public Flux<String> flux() {
            return answer();
        }

        @CircuitBreaker(name = "publisher", threshold = 1)
        public Publisher<String> publisher() {
            return answer();
        }

        @CircuitBreaker(name = "flow", threshold = 1)
        public Flow.Publisher<String> flow() {
            return answer();
        }

        @CircuitBreaker(name = "spareMono", threshold = 1, fallback = "spareMono")
        public Mono<String> monoWithFallback(String id) {
            return answer();
        }

        private Mono<String> spareMono(String id, Exception cause) {
            return Mono.just("spare " + id);
        }

        @CircuitBreaker(name = "spareFlux", threshold = 1, fallback = "spareFlux")
        public Flux<String> fluxWithFallback() {
            return answer();
        }

        private Flux<String> spareFlux(Exception cause) {
            if (cause instanceof CircuitOpenException) {
                throw new IllegalStateException("even the spare");
            }
            return Flux.just("spare");
        }

        @CircuitBreaker(name = "keyed", key = "#p0.length()")
        public Mono<String> keyed(String id) {
            return answer();
        }

        @CircuitBreaker(name = "keyedFuture", key = "#p0.length()")
        public CompletableFuture<String> keyedFuture(String id) {
            return answer();
        }
    }

    static class Inherited<R> {

        private final R answer;

        Inherited(R answer) {
            this.answer = answer;
        }

        @CircuitBreaker
        public R call() {
            return answer;
        }
    }

    static class InheritedMono extends Inherited<Mono<String>> {
        InheritedMono() {
            super(Mono.error(new IllegalStateException("down")));
        }
    }

    static class InheritedFuture extends Inherited<CompletableFuture<String>> {
        InheritedFuture() {
            super(CompletableFuture.failedFuture(new IllegalStateException("down")));
        }
    }

    @Test
    void aReturnTypeThatOnlyTheSubclassKnowsIsRecognised() {
        Contexts.runner(InheritedMono.class, InheritedFuture.class).run(context -> {
            StepVerifier.create(context.getBean(InheritedMono.class).call()).verifyErrorMessage("down");
            assertThat(context.getBean(InheritedFuture.class).call()).isCompletedExceptionally();

            assertThat(Contexts.breaker(context, "InheritedMono.call").calls().failed()).isEqualTo(1);
            assertThat(Contexts.breaker(context, "InheritedFuture.call").calls().failed()).isEqualTo(1);
        });
    }

    /** What Spring does for the advice of AspectJ: it asks for the current call. */
    @Configuration(proxyBeanMethods = false)
    static class Advice {

        @Bean
        Service service() {
            MethodBeforeAdvice before = (method, arguments, target) ->
                    assertThat(ExposeInvocationInterceptor.currentInvocation().getMethod()).isEqualTo(method);
            ProxyFactory factory = new ProxyFactory(new Service());
            factory.addAdvisor(ExposeInvocationInterceptor.ADVISOR);
            factory.addAdvice(before);
            return (Service) factory.getProxy();
        }
    }

    @Test
    void adviceInsideTheBreakerIsToldWhichCallItIsEvenWhenTheCallIsMadeLater() {
        Contexts.runner(Advice.class).run(context -> {
            StepVerifier.create(service(context, () -> Mono.just("a")).mono()).expectNext("a").verifyComplete();
            StepVerifier.create(service(context, () -> Flux.just("a")).flux()).expectNext("a").verifyComplete();

            Service service = service(context, () -> CompletableFuture.completedFuture("a"));
            CompletableFuture<String> onAReactiveThread =
                    Mono.fromCallable(service::future).subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(10));
            assertThat(onAReactiveThread).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("a");
        });
    }

    private final ApplicationContextRunner runner = Contexts.runner(Service.class, Contexts.Clock.class);

    private static Service service(AssertableApplicationContext context, Supplier<Object> answer) {
        Service proxy = context.getBean(Service.class);
        AopTestUtils.<Service>getTargetObject(proxy).answer = answer;
        return proxy;
    }

    private static AtomicInteger calls(Service proxy) {
        return AopTestUtils.<Service>getTargetObject(proxy).calls;
    }

    private static void letCoolOff(AssertableApplicationContext context, Breaker breaker) {
        context.getBean(TestClock.class).advance(Duration.ofSeconds(61));
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
    }

    @Test
    void aFutureIsRecordedWhenItCompletesAndNotBefore() {
        runner.run(context -> {
            CompletableFuture<String> source = new CompletableFuture<>();
            Service service = service(context, () -> source);
            Breaker breaker = Contexts.breaker(context, "future");

            CompletableFuture<String> result = service.future();
            assertThat(breaker.calls().succeeded()).isZero();
            source.complete("done");

            assertThat(result).isCompletedWithValue("done");
            assertThat(breaker.calls().succeeded()).isEqualTo(1);
        });
    }

    @Test
    void aFutureThatFailsTripsTheBreakerAndARejectionArrivesThroughTheFuture() {
        runner.run(context -> {
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException("down")));

            assertThat(service.future()).failsWithin(Duration.ZERO).withThrowableThat().havingCause().withMessage("down");
            assertThat(service.future())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(CircuitOpenException.class);
            assertThat(calls(service)).hasValue(1);
        });
    }

    @Test
    void anExceptionThatAnAsynchronousMethodThrowsArrivesThroughTheFuture() {
        runner.run(context -> {
            Service service = service(context, () -> {
                throw new IllegalStateException("thrown");
            });

            assertThat(service.future()).failsWithin(Duration.ZERO).withThrowableThat().havingCause().withMessage("thrown");
            assertThat(Contexts.breaker(context, "future").state()).isEqualTo(BreakerState.OPEN);
        });
    }

    @Test
    void aCancelledFutureGivesItsProbeBackAndCancelsTheCall() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "future");
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException()));
            service.future();
            letCoolOff(context, breaker);
            CompletableFuture<String> source = new CompletableFuture<>();
            service(context, () -> source);

            CompletableFuture<String> result = service.future();
            assertThat(breaker.snapshot().probes()).isEqualTo(1);
            result.cancel(true);

            assertThat(source).isCancelled();
            assertThat(breaker.snapshot().probes()).isZero();
            assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.HALF_OPEN);
        });
    }

    @Test
    void aCancelledFutureWithAFallbackGivesItsProbeBackTooAndTheFallbackIsNotCalled() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "stage");
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException()));
            service.stage("a");
            letCoolOff(context, breaker);
            CompletableFuture<String> source = new CompletableFuture<>();
            service(context, () -> source);

            CompletableFuture<String> result = service.stage("a").toCompletableFuture();
            result.cancel(true);

            assertThat(result).isCancelled();
            assertThat(source).isCancelled();
            assertThat(breaker.snapshot().probes()).isZero();
        });
    }

    @Test
    void aFutureThatFailsIsReplacedByTheFallbacksFuture() {
        runner.run(context -> {
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException("down")));

            assertThat(service.stage("a")).succeedsWithin(Duration.ZERO).isEqualTo("spare a down");
            assertThat(service.stage("a"))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage("even the spare");
        });
    }

    @Test
    void aFutureIsStartedOnTheThreadOfItsCallerEvenForAProbe() {
        Contexts.runner(Service.class, Slow.class).run(context -> {
            SlowStore store = context.getBean(SlowStore.class);
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException()));
            service.future();
            letCoolOff(context, Contexts.breaker(context, "future"));
            AtomicReference<Thread> thread = new AtomicReference<>();
            service(context, () -> {
                thread.set(Thread.currentThread());
                return CompletableFuture.completedFuture("ok");
            });

            assertThat(service.future()).succeedsWithin(Duration.ZERO).isEqualTo("ok");
            assertThat(thread).hasValue(Thread.currentThread());
            assertThat(store.heldAnswers()).isZero();
        });
    }

    @Test
    void onAThreadThatMustNotBlockAFutureWaitsForItsProbeWithoutBlocking() {
        Contexts.runner(Service.class, Slow.class).run(context -> {
            SlowStore store = context.getBean(SlowStore.class);
            Service service = service(context, () -> CompletableFuture.failedFuture(new IllegalStateException()));
            service.future();
            letCoolOff(context, Contexts.breaker(context, "future"));
            service(context, () -> CompletableFuture.completedFuture("ok"));
            store.holdAnswers();

            CompletableFuture<String> result =
                    Mono.fromCallable(service::future).subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(10));
            assertThat(result).isNotDone();
            store.deliverEverything();

            assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("ok");
        });
    }

    @Test
    void aMonoIsRecordedOnceWithItsValueItsErrorOrItsEmptyCompletion() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "mono");
            StepVerifier.create(service(context, () -> Mono.just("a")).mono()).expectNext("a").verifyComplete();
            assertThat(breaker.calls().succeeded()).isEqualTo(1);
            StepVerifier.create(service(context, Mono::empty).mono()).verifyComplete();
            assertThat(breaker.calls().succeeded()).isEqualTo(2);
            StepVerifier.create(service(context, () -> Mono.error(new IllegalStateException("down"))).mono()).verifyErrorMessage("down");
            assertThat(breaker.calls().failed()).isEqualTo(1);
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        });
    }

    @Test
    void aRedLightRejectsThroughTheMonoWithoutRunningTheMethod() {
        runner.run(context -> {
            Contexts.breaker(context, "mono").lock(BreakerLock.OPEN);
            Service service = service(context, () -> Mono.just("a"));

            Mono<String> mono = service.mono();
            StepVerifier.create(mono).verifyError(CircuitOpenException.class);
            assertThat(calls(service)).hasValue(0);
        });
    }

    @Test
    void eachSubscriptionAsksAnew() {
        runner.run(context -> {
            AtomicInteger subscriptions = new AtomicInteger();
            Service service = service(context, () -> Mono.defer(() -> {
                subscriptions.incrementAndGet();
                return Mono.error(new IllegalStateException("down"));
            }));

            StepVerifier.create(service.mono().retry(5)).verifyError(CircuitOpenException.class);
            assertThat(subscriptions).hasValue(1);
            assertThat(Contexts.breaker(context, "mono").calls().rejected()).isEqualTo(5);
        });
    }

    @Test
    void anExceptionThatAReactiveMethodThrowsIsRecordedAndArrivesThroughTheMono() {
        runner.run(context -> {
            Service service = service(context, () -> {
                throw new IllegalStateException("thrown");
            });

            StepVerifier.create(service.mono()).verifyErrorMessage("thrown");
            StepVerifier.create(service.flux()).verifyErrorMessage("thrown");
            assertThat(Contexts.breaker(context, "mono").calls().failed()).isEqualTo(1);
            assertThat(Contexts.breaker(context, "flux").calls().failed()).isEqualTo(1);
        });
    }

    @Test
    void aCancelledMonoGivesItsProbeBack() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "mono");
            StepVerifier.create(service(context, () -> Mono.error(new IllegalStateException())).mono()).verifyError();
            letCoolOff(context, breaker);
            AtomicBoolean cancelled = new AtomicBoolean();
            Service service = service(context, () -> Mono.never().doOnCancel(() -> cancelled.set(true)));

            Disposable subscription = service.mono().subscribe();
            assertThat(breaker.snapshot().probes()).isEqualTo(1);
            subscription.dispose();

            assertThat(cancelled).isTrue();
            assertThat(breaker.snapshot().probes()).isZero();
            assertThat(breaker.calls().failed()).isEqualTo(1);
        });
    }

    @Test
    void aProbeThatIsGrantedAfterTheSubscriberHasGoneIsGivenBack() {
        Contexts.runner(Service.class, Slow.class).run(context -> {
            SlowStore store = context.getBean(SlowStore.class);
            Breaker breaker = Contexts.breaker(context, "mono");
            StepVerifier.create(service(context, () -> Mono.error(new IllegalStateException())).mono()).verifyError();
            letCoolOff(context, breaker);
            Service service = service(context, () -> Mono.just("a"));
            store.holdAnswers();

            service.mono().subscribe().dispose();
            store.deliverEverything();

            await().until(() -> breaker.snapshot().probes() == 0);
            assertThat(calls(service)).hasValue(1);
        });
    }

    @Test
    void aSuccessfulProbeIsRecordedBeforeTheSubscriberSeesItsValue() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "mono");
            StepVerifier.create(service(context, () -> Mono.error(new IllegalStateException())).mono()).verifyError();
            letCoolOff(context, breaker);

            StepVerifier.create(service(context, () -> Mono.just("a")).mono().map(value -> breaker.state()))
                    .expectNext(BreakerState.CLOSED)
                    .verifyComplete();
        });
    }

    @Test
    void aFluxIsRecordedWhenItEnds() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "flux");
            TestPublisher<String> source = TestPublisher.create();
            Service service = service(context, source::flux);

            StepVerifier.create(service.flux())
                    .then(() -> source.next("a", "b"))
                    .expectNext("a", "b")
                    .then(() -> assertThat(breaker.calls().succeeded()).isZero())
                    .then(source::complete)
                    .verifyComplete();

            assertThat(breaker.calls().succeeded()).isEqualTo(1);
        });
    }

    @Test
    void aFluxThatFailsAfterSomeElementsIsAFailure() {
        runner.run(context -> {
            Service service = service(context, () -> Flux.just("a").concatWith(Flux.error(new IllegalStateException("down"))));

            StepVerifier.create(service.flux()).expectNext("a").verifyErrorMessage("down");
            StepVerifier.create(service.flux()).verifyError(CircuitOpenException.class);
            assertThat(calls(service)).hasValue(1);
        });
    }

    @Test
    void aCancelledFluxGivesItsProbeBackAndCountsAsNeither() {
        runner.run(context -> {
            Breaker breaker = Contexts.breaker(context, "flux");
            StepVerifier.create(service(context, () -> Flux.error(new IllegalStateException())).flux()).verifyError();
            letCoolOff(context, breaker);
            Service service = service(context, () -> Flux.interval(Duration.ofMillis(1)).map(String::valueOf));

            StepVerifier.create(service.flux().take(2)).expectNextCount(2).verifyComplete();

            assertThat(breaker.snapshot().probes()).isZero();
            assertThat(breaker.snapshot().state()).isEqualTo(BreakerState.HALF_OPEN);
            assertThat(breaker.calls().succeeded()).isZero();
        });
    }

    @Test
    void aFluxKeepsItsBackpressure() {
        runner.run(context -> StepVerifier.create(service(context, () -> Flux.range(1, 5).map(String::valueOf)).flux(), 2)
                .expectNext("1", "2")
                .expectNoEvent(Duration.ofMillis(20))
                .thenRequest(3)
                .expectNext("3", "4", "5")
                .verifyComplete());
    }

    @Test
    void otherReactiveTypesAreGuardedToo() {
        runner.run(context -> {
            Service service = service(context, () -> Flux.error(new IllegalStateException("down")));
            StepVerifier.create(service.publisher()).verifyErrorMessage("down");
            StepVerifier.create(service.publisher()).verifyError(CircuitOpenException.class);

            service(context, () -> JdkFlowAdapter.publisherToFlowPublisher(Flux.error(new IllegalStateException("flow down"))));
            StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(service.flow())).verifyErrorMessage("flow down");
            StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(service.flow())).verifyError(CircuitOpenException.class);
        });
    }

    @Test
    void aFallbackOfAReactiveMethodTakesOverOnErrorAndOnRejectionAndItsErrorArrives() {
        runner.run(context -> {
            Service service = service(context, () -> Mono.error(new IllegalStateException("down")));
            StepVerifier.create(service.monoWithFallback("x")).expectNext("spare x").verifyComplete();
            StepVerifier.create(service.monoWithFallback("y")).expectNext("spare y").verifyComplete();
            assertThat(calls(service)).hasValue(1);

            service(context, () -> Flux.just("a").concatWith(Flux.error(new IllegalStateException("down"))));
            StepVerifier.create(service.fluxWithFallback()).expectNext("a", "spare").verifyComplete();
            StepVerifier.create(service.fluxWithFallback()).verifyErrorMessage("even the spare");
        });
    }

    @Test
    void aKeyThatCannotBeEvaluatedArrivesThroughTheMono() {
        runner.run(context -> {
            Service service = service(context, () -> Mono.just("a"));

            StepVerifier.create(service.keyed("four")).expectNext("a").verifyComplete();
            assertThat(Contexts.breaker(context, "keyed").totalCalls().succeeded()).isEqualTo(1);
            StepVerifier.create(service.keyed(null)).verifyError(IllegalStateException.class);
        });
    }

    @Test
    void aKeyThatCannotBeEvaluatedArrivesThroughTheFuture() {
        runner.run(context -> assertThat(context.getBean(Service.class).keyedFuture(null))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingRootCause()
                .withMessageContaining("EL1011E"));
    }

    @Test
    void onAReactiveThreadACallNeverBlocksForAProbe() {
        Contexts.runner(Service.class, Slow.class).run(context -> {
            SlowStore store = context.getBean(SlowStore.class);
            StepVerifier.create(service(context, () -> Mono.error(new IllegalStateException())).mono()).verifyError();
            letCoolOff(context, Contexts.breaker(context, "mono"));
            Service service = service(context, () -> Mono.just("a"));
            store.holdAnswers();
            AtomicReference<String> seen = new AtomicReference<>();

            service.mono().subscribe(seen::set);
            assertThat(seen).hasValue(null);
            store.deliverEverything();

            await().untilAtomic(seen, is("a"));
        });
    }

    /** A store whose answers take their time. */
    @Configuration(proxyBeanMethods = false)
    static class Slow {

        @Bean
        TestClock clock() {
            return new TestClock();
        }

        @Bean
        SlowStore store(TestClock clock) {
            return new SlowStore(new MemoryBreakerStore(clock));
        }

        @Bean
        BreakerCustomizer ticker(TestClock clock) {
            return builder -> builder.ticker(clock);
        }
    }
}
