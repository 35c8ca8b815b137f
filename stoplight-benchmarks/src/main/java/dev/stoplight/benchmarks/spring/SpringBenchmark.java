package dev.stoplight.benchmarks.spring;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.spring.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One healthy call of a bean in a Spring Boot application that has both libraries, as their starters configure them. */
public class SpringBenchmark {

    private static final String NAME = "quotes";

    /** What is called. */
    public static class Quotes {
        private final Object value = new Object();

        public Object quote(String symbol) {
            return value;
        }
    }

    /** The same with our annotation. */
    public static class StoplightQuotes extends Quotes {
        @Override
        @CircuitBreaker(NAME)
        public Object quote(String symbol) {
            return super.quote(symbol);
        }
    }

    /** The same with Resilience4j's. */
    public static class ResilienceQuotes extends Quotes {
        @Override
        @io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = NAME)
        public Object quote(String symbol) {
            return super.quote(symbol);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BareApplication {
        @Bean
        Quotes quotes() {
            return new Quotes();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class NoOpApplication {
        @Bean
        Quotes quotes() {
            ProxyFactory factory = new ProxyFactory(new Quotes());
            MethodInterceptor noOp = invocation -> invocation.proceed();
            factory.addAdvice(noOp);
            factory.setProxyTargetClass(true);
            return (Quotes) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class StoplightApplication {
        @Bean
        Quotes quotes() {
            return new StoplightQuotes();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ResilienceApplication {
        @Bean
        Quotes quotes() {
            return new ResilienceQuotes();
        }
    }

    /** With a registry of the application's own: the starter's keeps an event of every call, for its endpoint. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class EventlessResilienceApplication {
        @Bean
        Quotes quotes() {
            return new ResilienceQuotes();
        }

        @Bean
        CircuitBreakerRegistry circuitBreakerRegistry() {
            return CircuitBreakerRegistry.ofDefaults();
        }
    }

    /** A running application and the bean in it. */
    abstract static class Application {
        final ConfigurableApplicationContext context;
        final Quotes quotes;
        final String symbol = "ACME";

        Application(Class<?> configuration) {
            context = new SpringApplicationBuilder(configuration)
                    .web(WebApplicationType.NONE)
                    .properties("spring.main.banner-mode=off", "logging.level.root=warn", "stoplight.store=memory")
                    .run();
            quotes = context.getBean(Quotes.class);
        }

        /** How many calls the library under test has counted; 0 means that it was not there. */
        abstract double counted();

        @TearDown
        public void close() {
            double counted = counted();
            context.close();
            if (counted == 0) {
                throw new IllegalStateException("the calls did not pass through what was to be measured");
            }
        }
    }

    @State(Scope.Benchmark)
    public static class Bare extends Application {
        public Bare() {
            super(BareApplication.class);
        }

        @Override
        double counted() {
            return Double.NaN;
        }
    }

    @State(Scope.Benchmark)
    public static class NoOp extends Application {
        public NoOp() {
            super(NoOpApplication.class);
        }

        @Override
        double counted() {
            return Double.NaN;
        }
    }

    @State(Scope.Benchmark)
    public static class Stoplight extends Application {
        public Stoplight() {
            super(StoplightApplication.class);
        }

        @Override
        double counted() {
            return context.getBean(BreakerRegistry.class).breaker(NAME).calls().succeeded();
        }
    }

    /** With its metrics bound to a registry, as the actuator does it. */
    @State(Scope.Benchmark)
    public static class StoplightMeasured extends Application {
        private final MeterRegistry meters = new SimpleMeterRegistry();

        public StoplightMeasured() {
            super(StoplightApplication.class);
            context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(meters));
        }

        @Override
        double counted() {
            return meters.get("stoplight.calls").tags("breaker", NAME, "outcome", "succeeded").functionCounter().count();
        }
    }

    @State(Scope.Benchmark)
    public static class Resilience extends Application {
        public Resilience() {
            super(ResilienceApplication.class);
        }

        @Override
        double counted() {
            return succeeded(context);
        }
    }

    @State(Scope.Benchmark)
    public static class EventlessResilience extends Application {
        public EventlessResilience() {
            super(EventlessResilienceApplication.class);
        }

        @Override
        double counted() {
            return succeeded(context);
        }
    }

    private static double succeeded(ConfigurableApplicationContext context) {
        return context.getBean(CircuitBreakerRegistry.class).circuitBreaker(NAME).getMetrics().getNumberOfSuccessfulCalls();
    }

    @Benchmark
    public Object bare(Bare application) {
        return application.quotes.quote(application.symbol);
    }

    @Benchmark
    public Object noOp(NoOp application) {
        return application.quotes.quote(application.symbol);
    }

    @Benchmark
    public Object stoplight(Stoplight application) {
        return application.quotes.quote(application.symbol);
    }

    @Benchmark
    public Object stoplightMeasured(StoplightMeasured application) {
        return application.quotes.quote(application.symbol);
    }

    @Benchmark
    public Object resilience4j(Resilience application) {
        return application.quotes.quote(application.symbol);
    }

    @Benchmark
    public Object resilience4jEventless(EventlessResilience application) {
        return application.quotes.quote(application.symbol);
    }
}
