package dev.stoplight.spring.actuate;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.store.BreakerStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance of a service with a web server on a free port; instances with the same store share their lights. */
public final class ServiceInstance implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ConfigurableApplicationContext context;

    private ServiceInstance(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** An application that lets everyone in. Only one of the two servers on the class path may make a management port. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {
                ManagementWebSecurityAutoConfiguration.class,
                ReactiveManagementWebSecurityAutoConfiguration.class,
                ReactiveWebSecurityAutoConfiguration.class,
                SecurityFilterAutoConfiguration.class,
                ServletWebSecurityAutoConfiguration.class,
                TomcatReactiveManagementContextAutoConfiguration.class
            })
    static class OpenApplication {}

    /** An application that Spring Boot protects as it does by default. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SecuredApplication {}

    /** Starts an instance that lets everyone in. */
    public static ServiceInstance start(WebApplicationType type, BreakerStore store, String... properties) {
        return start(type, store, List.of(OpenApplication.class), properties);
    }

    /** Starts an instance with Spring Security, configured by that class. */
    public static ServiceInstance startSecured(WebApplicationType type, BreakerStore store, Class<?> security, String... properties) {
        return start(type, store, List.of(SecuredApplication.class, security), properties);
    }

    private static ServiceInstance start(WebApplicationType type, BreakerStore store, List<Class<?>> sources, String... properties) {
        return new ServiceInstance(new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .web(type)
                .initializers(context -> context.getBeanFactory().registerSingleton("sharedStore", store))
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "logging.level.root=error",
                        "management.endpoints.web.exposure.include=*",
                        "management.health.redis.enabled=false",
                        "management.endpoint.health.show-details=always")
                .run(Stream.of(properties).map(property -> "--" + property).toArray(String[]::new)));
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public Breaker breaker(String name) {
        return bean(BreakerRegistry.class).breaker(name);
    }

    public Breaker breaker(String name, String key) {
        return bean(BreakerRegistry.class).breaker(name, key);
    }

    /** Makes calls that fail with that message. */
    public void fail(Breaker breaker, int times, String message) {
        for (int i = 0; i < times; i++) {
            try {
                breaker.run(() -> {
                    throw new IllegalStateException(message);
                });
                throw new AssertionError("the call returned");
            } catch (IllegalStateException expected) {
                // What it was made for.
            }
        }
    }

    public int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    public int managementPort() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.management.port"));
    }

    public String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send(request(path, headers).GET());
    }

    public HttpResponse<String> post(String path, String json, String... headers) {
        return send(request(path, headers).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    public HttpResponse<String> delete(String path, String... headers) {
        return send(request(path, headers).DELETE());
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(path.startsWith("http") ? path : url(path))).timeout(Duration.ofSeconds(20));
        return headers.length == 0 ? request : request.headers(headers);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        // Reactor Netty at times never answers on a connection on which a request was refused before its body was read, as Spring
        // Security refuses; so each request has a connection of its own.
        HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for an answer", e);
        }
    }

    /** The body of an answer as JSON. */
    public static JsonNode json(HttpResponse<String> response) {
        return JSON.readTree(response.body());
    }

    @Override
    public void close() {
        context.close();
    }
}
