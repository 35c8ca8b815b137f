package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.TestClock;
import java.util.Locale;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Contexts as an application without Redis has them. */
final class Contexts {

    private Contexts() {}

    /** As Spring Boot sets them up: proxies are subclasses. */
    static ApplicationContextRunner runner(Class<?>... beans) {
        // An application that another test ran may have left the log quieter.
        LoggingSystem.get(Contexts.class.getClassLoader()).setLogLevel("dev.stoplight.spring", LogLevel.INFO);
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PropertyPlaceholderAutoConfiguration.class, AopAutoConfiguration.class, StoplightAutoConfiguration.class));
        for (Class<?> bean : beans) {
            runner = withBean(runner, bean);
        }
        return runner;
    }

    private static <T> ApplicationContextRunner withBean(ApplicationContextRunner runner, Class<T> bean) {
        String simple = bean.getSimpleName();
        return bean.isAnnotationPresent(Configuration.class)
                ? runner.withUserConfiguration(bean)
                : runner.withBean(simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1), bean);
    }

    static Breaker breaker(ApplicationContext context, String name) {
        return context.getBean(BreakerRegistry.class).find(name).orElseThrow(() -> new AssertionError("no breaker " + name));
    }

    /** Time that stands still until a test moves it. */
    @Configuration(proxyBeanMethods = false)
    static class Clock {

        @Bean
        TestClock clock() {
            return new TestClock();
        }

        @Bean
        MemoryBreakerStore store(TestClock clock) {
            return new MemoryBreakerStore(clock);
        }

        @Bean
        BreakerCustomizer ticker(TestClock clock) {
            return builder -> builder.ticker(clock);
        }
    }
}
