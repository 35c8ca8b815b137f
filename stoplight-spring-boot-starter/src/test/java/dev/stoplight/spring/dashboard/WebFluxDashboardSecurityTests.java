package dev.stoplight.spring.dashboard;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;

class WebFluxDashboardSecurityTests extends DashboardSecurityContract {

    WebFluxDashboardSecurityTests() {
        super(WebApplicationType.REACTIVE, Security.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFluxSecurity
    static class Security {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges
                            .matchers(EndpointRequest.to("stoplight").withHttpMethod(HttpMethod.GET)).hasAnyRole("VIEWER", "OPERATOR")
                            .matchers(EndpointRequest.to("stoplight")).hasRole("OPERATOR")
                            .pathMatchers(HttpMethod.GET, "/stoplight/**").hasAnyRole("VIEWER", "OPERATOR")
                            .pathMatchers("/stoplight/**").hasRole("OPERATOR")
                            .anyExchange().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("viewer").password("{noop}viewer").roles("VIEWER").build(),
                    User.withUsername("operator").password("{noop}operator").roles("OPERATOR").build());
        }
    }
}
