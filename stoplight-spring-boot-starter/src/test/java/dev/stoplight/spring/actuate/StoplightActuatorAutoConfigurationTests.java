package dev.stoplight.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.spring.StoplightAutoConfiguration;
import dev.stoplight.spring.dashboard.StoplightDashboardAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.servlet.function.RouterFunction;

class StoplightActuatorAutoConfigurationTests {

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            StoplightAutoConfiguration.class, StoplightActuatorAutoConfiguration.class, StoplightDashboardAutoConfiguration.class);

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(CONFIGURATIONS).withPropertyValues("stoplight.store=memory");

    @Test
    void endpointWhenExposedIsPresent() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=stoplight")
                .run(context -> assertThat(context).hasSingleBean(StoplightEndpoint.class));
    }

    @Test
    void endpointWhenNotExposedIsAbsent() {
        runner.run(context -> assertThat(context).doesNotHaveBean(StoplightEndpoint.class).doesNotHaveBean(WholeRequest.class));
    }

    @Test
    void applicationWithoutActuatorHealthAndMetricsStarts() {
        runner.withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer", "org.springframework.web"))
                .withPropertyValues("stoplight.dashboard.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(BreakerRegistry.class));
    }

    @Test
    void applicationWithoutActuatorButWithHealthStarts() {
        runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context).hasNotFailed().hasBean("stoplightHealthIndicator"));
    }

    @Test
    void applicationThatExcludesStoplightStarts() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, StoplightActuatorAutoConfiguration.class, StoplightDashboardAutoConfiguration.class))
                .withPropertyValues("stoplight.dashboard.enabled=true", "management.endpoints.web.exposure.include=stoplight")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(StoplightOperations.class));
    }

    @Test
    void redLightLeavesTheApplicationHealthy() {
        runner.run(context -> {
            BreakerRegistry registry = context.getBean(BreakerRegistry.class);
            registry.breaker("payments").lock(BreakerLock.OPEN);
            registry.breaker("quotes", "acme");

            Health health = context.getBean("stoplightHealthIndicator", HealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("store", "memory").containsKey("since");
            assertThat(health.getDetails().get("lights")).hasToString("{red=1, yellow=0, green=2}");
        });
    }

    @Test
    void healthCanBeSwitchedOff() {
        runner.withPropertyValues("management.health.stoplight.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("stoplightHealthIndicator"));
    }

    @Test
    void breakersAreMeasured() {
        runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    context.getBean(BreakerRegistry.class).breaker("payments").run(() -> {});
                    MeterRegistry meters = context.getBean(MeterRegistry.class);

                    assertThat(meters.get("stoplight.calls").tags("breaker", "payments", "outcome", "succeeded").functionCounter().count())
                            .isEqualTo(1);
                    assertThat(meters.get("stoplight.store.up").gauge().value()).isEqualTo(1);
                });
    }

    @Test
    void dashboardIsServedOnlyWhenAskedFor() {
        WebApplicationContextRunner web =
                new WebApplicationContextRunner().withConfiguration(CONFIGURATIONS).withPropertyValues("stoplight.store=memory");
        web.run(context -> assertThat(context).doesNotHaveBean(RouterFunction.class));
        web.withPropertyValues("stoplight.dashboard.enabled=true").run(context -> assertThat(context).hasSingleBean(RouterFunction.class));
        web.withPropertyValues("stoplight.dashboard.enabled=true")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasSingleBean(RouterFunction.class));
    }
}
