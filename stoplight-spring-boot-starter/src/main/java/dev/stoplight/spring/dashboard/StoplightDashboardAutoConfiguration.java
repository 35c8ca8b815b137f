package dev.stoplight.spring.dashboard;

import dev.stoplight.spring.StoplightProperties;
import dev.stoplight.spring.actuate.StoplightActuatorAutoConfiguration;
import dev.stoplight.spring.actuate.StoplightOperations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Serves the dashboard when {@code stoplight.dashboard.enabled} says so. */
@AutoConfiguration(after = StoplightActuatorAutoConfiguration.class)
@ConditionalOnBooleanProperty("stoplight.dashboard.enabled")
@ConditionalOnWebApplication
@ConditionalOnBean(StoplightOperations.class)
public final class StoplightDashboardAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Dashboard stoplightDashboardWithoutActuator(StoplightOperations operations) {
        return new Dashboard(operations, true);
    }

    /** What the endpoint may not change, the dashboard may not either, whether or not the endpoint is exposed. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EndpointAccessResolver.class)
    static class ActuatorConfiguration {

        @Bean
        Dashboard stoplightDashboardPage(StoplightOperations operations, ObjectProvider<EndpointAccessResolver> access) {
            return new Dashboard(operations, access.stream().allMatch(
                    resolver -> resolver.accessFor(EndpointId.of("stoplight"), Access.UNRESTRICTED) == Access.UNRESTRICTED));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.SERVLET)
    @ConditionalOnClass(org.springframework.web.servlet.function.RouterFunction.class)
    static class MvcConfiguration {

        @Bean
        org.springframework.web.servlet.function.RouterFunction<org.springframework.web.servlet.function.ServerResponse> stoplightDashboard(
                Dashboard dashboard, StoplightProperties properties) {
            return MvcDashboard.routes(dashboard, properties.dashboard().path());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.REACTIVE)
    @ConditionalOnClass(org.springframework.web.reactive.function.server.RouterFunction.class)
    static class WebFluxConfiguration {

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<org.springframework.web.reactive.function.server.ServerResponse>
                stoplightDashboard(Dashboard dashboard, StoplightProperties properties) {
            return WebFluxDashboard.routes(dashboard, properties.dashboard().path());
        }
    }
}
