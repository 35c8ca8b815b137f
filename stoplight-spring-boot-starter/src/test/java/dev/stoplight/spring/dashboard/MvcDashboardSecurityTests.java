package dev.stoplight.spring.dashboard;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

class MvcDashboardSecurityTests extends DashboardSecurityContract {

    MvcDashboardSecurityTests() {
        super(WebApplicationType.SERVLET, Security.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Security {

        @Bean
        SecurityFilterChain security(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests
                            .requestMatchers(EndpointRequest.to("stoplight").withHttpMethod(HttpMethod.GET)).hasAnyRole("VIEWER", "OPERATOR")
                            .requestMatchers(EndpointRequest.to("stoplight")).hasRole("OPERATOR")
                            .requestMatchers(HttpMethod.GET, "/stoplight/**").hasAnyRole("VIEWER", "OPERATOR")
                            .requestMatchers("/stoplight/**").hasRole("OPERATOR")
                            .anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("viewer").password("{noop}viewer").roles("VIEWER").build(),
                    User.withUsername("operator").password("{noop}operator").roles("OPERATOR").build());
        }
    }
}
