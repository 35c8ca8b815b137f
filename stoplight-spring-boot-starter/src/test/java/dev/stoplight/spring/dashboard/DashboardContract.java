package dev.stoplight.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.spring.actuate.ServiceInstance;
import dev.stoplight.store.MemoryBreakerStore;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** What the dashboard's server does, on every web stack; here under a path, a prefix and next to a management port of its own. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class DashboardContract {

    private static final String PAGE = "/shop/ops/lights/";
    private static final String LOCK = "{\"action\":\"lock-open\"}";

    private final WebApplicationType stack;
    private final String prefixProperty;
    private ServiceInstance service;

    DashboardContract(WebApplicationType stack, String prefixProperty) {
        this.stack = stack;
        this.prefixProperty = prefixProperty;
    }

    @BeforeAll
    void start() {
        service = ServiceInstance.start(
                stack,
                new MemoryBreakerStore(),
                prefixProperty + "=/shop",
                "stoplight.dashboard.enabled=true",
                "stoplight.dashboard.path=/ops/lights",
                "management.server.port=0",
                "management.endpoints.web.exposure.include=health",
                "spring.jackson.property-naming-strategy=SNAKE_CASE",
                "spring.jackson.default-property-inclusion=non_null");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @AfterEach
    void forgetAll() {
        service.bean(BreakerRegistry.class).breakers().toList().forEach(Breaker::forget);
    }

    @Test
    void pathLeadsToThePageWithoutKnowingItsPrefix() {
        HttpResponse<String> response = service.get("/shop/ops/lights");

        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(response.headers().firstValue("Location")).hasValue("lights/");
    }

    @ParameterizedTest
    @EnumSource(DashboardFile.class)
    void everyFileIsServedUnderAStrictPolicy(DashboardFile file) {
        HttpResponse<String> response = service.get(PAGE + file.path().substring(1));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue(file.contentType());
        assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(response.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(policy -> assertThat(policy)
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'")
                .doesNotContain("unsafe", "http:", "https:", "*"));
    }

    @Test
    void pageRefersOnlyToItsOwnFiles() {
        List<String> references = Pattern.compile("(?:src|href)=\"([^\"]*)\"")
                .matcher(service.get(PAGE).body())
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();

        assertThat(references).hasSizeGreaterThan(3).allSatisfy(reference -> {
            assertThat(reference).doesNotContain("/");
            assertThat(service.get(PAGE + reference).statusCode()).isEqualTo(200);
        });
    }

    @Test
    void dataHasTheNamesAndNullsThatThePageReliesOnWhateverTheApplicationsJsonSettings() {
        service.breaker("payments");

        JsonNode payments = ServiceInstance.json(service.get(PAGE + "api/breakers")).path("breakers").path(0);

        assertThat(payments.propertyNames()).contains("retryAfterMs", "halfOpenCalls");
        assertThat(payments.path("lock").isNull()).isTrue();
    }

    @Test
    void listTakesFiltersAndRefusesBadOnes() {
        service.breaker("payments").lock(BreakerLock.OPEN);
        service.breaker("catalog");

        assertThat(ServiceInstance.json(service.get(PAGE + "api/breakers?color=red&search=PAY&page=0&size=10")).path("breakers").size()).isEqualTo(1);
        assertThat(ServiceInstance.json(service.get(PAGE + "api/breakers?color=&search=")).path("breakers").size()).isEqualTo(2);
        assertRefused(service.get(PAGE + "api/breakers?size=0"), 400, "size must be between 1 and 1000, was 0");
    }

    @Test
    void breakerIsShownChangedAndForgotten() {
        service.fail(service.breaker("quotes", "a/b c;d"), 1, "down");
        String one = PAGE + "api/breaker?id=quotes:a%2Fb%20c%3Bd";

        assertThat(ServiceInstance.json(service.get(one)).path("key").asString()).isEqualTo("a/b c;d");
        assertThat(ServiceInstance.json(service.post(one, LOCK)).path("lock").asString()).isEqualTo("OPEN");
        JsonNode changed = ServiceInstance.json(service.post(
                one, "{\"action\":\"configure\",\"threshold\":7,\"ignore-exceptions\":[\"java.io.IOException\",\"java.util.NoSuchElementException\"]}"));
        assertThat(changed.path("settings").path("ignore-exceptions").path("value").size()).isEqualTo(2);
        assertThat(service.delete(one).statusCode()).isEqualTo(204);
        assertRefused(service.get(one), 404, "no breaker has the id 'quotes:a/b c;d'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?id=nobody | {\"action\":\"reset\"} | 404 | no breaker has the id 'nobody'",
                "?id=payments | {\"action\":\"explode\"} | 400 | action must be one of",
                "?id=payments | {\"action\":\"configure\",\"record-exceptions\":[null]} | 400 | record-exceptions must list classes of this application, was null",
                "?id=payments | {\"action\": | 400 | the body must be a JSON object",
                "?id=payments | [1] | 400 | the body must be a JSON object",
                "?id=payments | null | 400 | the body must be a JSON object",
                "'' | {\"action\":\"reset\"} | 400 | the parameter id is missing"
            })
    void badChangeIsRefused(String query, String body, int status, String detail) {
        service.breaker("payments");

        assertRefused(service.post(PAGE + "api/breaker" + query, body), status, detail);
    }

    @Test
    void changeThatAnotherSiteCouldSendIsRefused() {
        service.breaker("payments");
        HttpRequest.Builder form = HttpRequest.newBuilder(URI.create(service.url(PAGE + "api/breaker?id=payments")))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(LOCK));

        assertRefused(service.send(form), 415, "Content-Type must be application/json, was text/plain");
        assertThat(service.breaker("payments").lastSeen().lock()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 300_000})
    void hugeBodyIsRefused(int length) {
        service.breaker("payments");

        HttpResponse<String> response = service.post(PAGE + "api/breaker?id=payments", "{\"action\":\"" + "x".repeat(length) + "\"}");

        assertRefused(response, 413, "the body must have at most 65536 bytes");
    }

    @Test
    void pageCanBeAskedForWithoutItsContent() {
        HttpRequest.Builder head = HttpRequest.newBuilder(URI.create(service.url(PAGE))).method("HEAD", BodyPublishers.noBody());

        HttpResponse<String> response = service.send(head);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue(DashboardFile.PAGE.contentType());
        assertThat(response.body()).isEmpty();
    }

    @Test
    void withoutSpringSecurityNoTokenIsWanted() {
        assertThat(service.get(PAGE + "api/csrf").body()).isEqualTo("{}");
    }

    @Test
    void dashboardWorksThoughTheEndpointIsNotExposedAndTheActuatorElsewhere() {
        String management = "http://127.0.0.1:" + service.managementPort();

        assertThat(service.managementPort()).isNotEqualTo(service.port());
        assertThat(service.get(management + "/actuator/health").statusCode()).isEqualTo(200);
        assertThat(service.get(management + "/actuator/stoplight").statusCode()).isEqualTo(404);
        assertThat(service.get(PAGE + "api/breakers").statusCode()).isEqualTo(200);
    }

    private static void assertRefused(HttpResponse<String> response, int status, String detail) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(ServiceInstance.json(response).propertyNames()).containsExactly("title", "status", "detail");
        assertThat(ServiceInstance.json(response).path("detail").asString()).startsWith(detail);
    }
}
