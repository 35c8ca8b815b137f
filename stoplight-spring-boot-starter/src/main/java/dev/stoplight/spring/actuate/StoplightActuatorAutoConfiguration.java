package dev.stoplight.spring.actuate;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.spring.BreakerSettingsSources;
import dev.stoplight.spring.StoplightAutoConfiguration;
import dev.stoplight.spring.StoplightProperties;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the endpoint, the health component and the metrics, each where its module is present. */
@AutoConfiguration(after = StoplightAutoConfiguration.class)
@ConditionalOnBean({BreakerRegistry.class, BreakerSettingsSources.class})
public final class StoplightActuatorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    StoplightOperations stoplightOperations(
            BreakerRegistry registry, BreakerSettingsSources sources, StoplightProperties properties, ApplicationContext context) {
        return new StoplightOperations(registry, sources, properties.enabled(), context.getClassLoader());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnAvailableEndpoint
        StoplightEndpoint stoplightEndpoint(StoplightOperations operations) {
            return new StoplightEndpoint(operations);
        }

        @Bean
        @ConditionalOnAvailableEndpoint(StoplightEndpoint.class)
        WholeRequest stoplightWholeRequest() {
            return new WholeRequest();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        @Bean
        @ConditionalOnEnabledHealthIndicator("stoplight")
        StoplightHealthIndicator stoplightHealthIndicator(BreakerRegistry registry) {
            return new StoplightHealthIndicator(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class MetricsConfiguration {

        @Bean
        StoplightMetrics stoplightMetrics(ObjectProvider<BreakerRegistry> registry) {
            // The registry is made with its listeners, of which this is one; so it is asked for later.
            return new StoplightMetrics(registry::getObject);
        }
    }
}
