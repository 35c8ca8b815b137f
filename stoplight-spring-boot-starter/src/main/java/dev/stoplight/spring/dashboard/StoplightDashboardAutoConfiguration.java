package dev.stoplight.spring.dashboard;

import dev.stoplight.spring.StoplightProperties;
import dev.stoplight.spring.actuate.StoplightActuatorAutoConfiguration;
import dev.stoplight.spring.actuate.StoplightOperations;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Serves the dashboard when {@code stoplight.dashboard.enabled} says so. */
@AutoConfiguration(after = StoplightActuatorAutoConfiguration.class)
@ConditionalOnBooleanProperty("stoplight.dashboard.enabled")
public final class StoplightDashboardAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.SERVLET)
    @ConditionalOnClass(org.springframework.web.servlet.function.RouterFunction.class)
    static class MvcConfiguration {

        @Bean
        org.springframework.web.servlet.function.RouterFunction<org.springframework.web.servlet.function.ServerResponse> stoplightDashboard(
                StoplightOperations operations, StoplightProperties properties) {
            return MvcDashboard.routes(new Dashboard(operations), properties.dashboard().path());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.REACTIVE)
    @ConditionalOnClass(org.springframework.web.reactive.function.server.RouterFunction.class)
    static class WebFluxConfiguration {

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<org.springframework.web.reactive.function.server.ServerResponse>
                stoplightDashboard(StoplightOperations operations, StoplightProperties properties) {
            return WebFluxDashboard.routes(new Dashboard(operations), properties.dashboard().path());
        }
    }
}
