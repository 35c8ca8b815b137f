package dev.stoplight.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;
import reactor.core.publisher.Mono;

/** What the caller of a web application sees when a call inside it was rejected, on both web stacks. */
class ProblemDetailsTests {

    @RestController
    static class Quotes {

        @GetMapping("/quotes")
        String quotes() {
            throw rejection();
        }

        @GetMapping("/future")
        CompletableFuture<String> future() {
            return CompletableFuture.failedFuture(rejection());
        }

        @GetMapping("/mono")
        Mono<String> mono() {
            return Mono.error(rejection());
        }

        @GetMapping("/join")
        String join() {
            return future().join();
        }

        @GetMapping("/get")
        String get() throws Exception {
            return future().get();
        }

        @GetMapping("/other")
        String other() {
            throw new IllegalStateException("other");
        }
    }

    private static CircuitOpenException rejection() {
        return new CircuitOpenException("pay\"ments", BreakerState.OPEN, Duration.ofMillis(11_001));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {
                ManagementWebSecurityAutoConfiguration.class,
                ReactiveManagementWebSecurityAutoConfiguration.class,
                ReactiveWebSecurityAutoConfiguration.class,
                SecurityFilterAutoConfiguration.class,
                ServletWebSecurityAutoConfiguration.class
            })
    static class Application {

        @Bean
        Quotes quotes() {
            return new Quotes();
        }
    }

    @RestControllerAdvice
    static class Advice {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> handle(Exception thrown) {
            return ResponseEntity.status(HttpStatus.CONFLICT).body("advice");
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    @AfterEach
    void close() {
        contexts.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(WebApplicationType type, String property, Class<?>... more) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .sources(more)
                .web(type)
                .properties("server.port=0", "server.address=127.0.0.1", "stoplight.store=memory", property)
                .run();
        contexts.add(context);
        return context;
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws IOException, InterruptedException {
        String port = context.getEnvironment().getProperty("local.server.port");
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aRejectedCallIsA503WithRetryAfterAndAProblemDetailWhateverTheHandlerReturns(WebApplicationType type) throws Exception {
        ConfigurableApplicationContext context = start(type, "stoplight.enabled=true", Functions.class);
        for (String path : List.of("/quotes", "/future", "/mono", "/join", "/get", "/function")) {
            HttpResponse<String> response = get(context, path);

            assertThat(response.statusCode()).as(path).isEqualTo(503);
            assertThat(response.headers().firstValue("Retry-After")).hasValue("12");
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(response.body())
                    .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"Breaker"
                            + " 'pay\\\"ments' is OPEN; retry in 12s\",\"instance\":\"" + path + "\"}");
        }
        assertThat(get(context, "/other").statusCode()).as("an exception that is none of our business").isEqualTo(500);
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void itCanBeSwitchedOff(WebApplicationType type) throws Exception {
        HttpResponse<String> response = get(start(type, "stoplight.web.problem-details=false"), "/quotes");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void anExceptionHandlerOfTheApplicationGoesFirst(WebApplicationType type) throws Exception {
        HttpResponse<String> response = get(start(type, "stoplight.enabled=true", Advice.class), "/quotes");

        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).isEqualTo("advice");
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMvcResolver {

        @Bean
        HandlerExceptionResolver ownResolver() {
            return (request, response, handler, thrown) -> {
                response.setStatus(409);
                return new ModelAndView();
            };
        }
    }

    @Test
    void aHandlerExceptionResolverOfTheApplicationGoesFirst() throws Exception {
        assertThat(get(start(WebApplicationType.SERVLET, "stoplight.enabled=true", OwnMvcResolver.class), "/quotes").statusCode())
                .isEqualTo(409);
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWebFluxHandler {

        @Bean
        @Order(-1)
        WebExceptionHandler ownHandler() {
            return (exchange, thrown) -> {
                exchange.getResponse().setStatusCode(HttpStatus.CONFLICT);
                return exchange.getResponse().setComplete();
            };
        }
    }

    @Test
    void aWebExceptionHandlerOfTheApplicationGoesFirst() throws Exception {
        assertThat(get(start(WebApplicationType.REACTIVE, "stoplight.enabled=true", OwnWebFluxHandler.class), "/quotes").statusCode())
                .isEqualTo(409);
    }

    @Configuration(proxyBeanMethods = false)
    static class Functions {

        @Bean
        RouterFunction<ServerResponse> mvcFunction() {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .GET("/function", request -> {
                        throw rejection();
                    })
                    .build();
        }

        @Bean
        org.springframework.web.reactive.function.server.RouterFunction<org.springframework.web.reactive.function.server.ServerResponse>
                webFluxFunction() {
            return RouterFunctions.route().GET("/function", request -> Mono.error(rejection())).build();
        }
    }

    @RestController
    static class Reports {

        @GetMapping("/report")
        void report(HttpServletResponse response) throws IOException {
            response.getWriter().write("half a report");
            throw rejection();
        }
    }

    @Test
    void aHandlerThatHasBegunToWriteIsInterrupted() throws Exception {
        HttpResponse<String> response = get(start(WebApplicationType.SERVLET, "stoplight.enabled=true", Reports.class), "/report");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("12");
        assertThat(response.body()).startsWith("{\"type\":\"about:blank\"").endsWith("\"instance\":\"/report\"}");
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "999,1", "1000,1", "1001,2", "60000,60"})
    void retryAfterIsRoundedUpToWholeSecondsAndNeverZero(long millis, long seconds) {
        CircuitOpenException rejection = new CircuitOpenException("x", BreakerState.OPEN, Duration.ofMillis(millis));

        assertThat(Problem.of(rejection, "/").retryAfterSeconds()).isEqualTo(seconds);
    }
}
