package dev.stoplight.spring.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Answers a rejected call that nothing else handles with 503, {@code Retry-After} and a problem detail. */
@AutoConfiguration(beforeName = "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration")
@ConditionalOnBooleanProperty(name = "stoplight.web.problem-details", matchIfMissing = true)
public final class StoplightWebAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.SERVLET)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class MvcConfiguration {

        @Bean
        MvcProblemResolver stoplightProblemResolver() {
            return new MvcProblemResolver();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.REACTIVE)
    @ConditionalOnClass(WebExceptionHandler.class)
    static class WebFluxConfiguration {

        @Bean
        WebFluxProblemHandler stoplightProblemHandler() {
            return new WebFluxProblemHandler();
        }
    }
}
