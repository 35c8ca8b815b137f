package dev.stoplight.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.spring.actuate.ServiceInstance;
import dev.stoplight.store.MemoryBreakerStore;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** The endpoint and the dashboard behind Spring Security, as the documentation sets it up. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class DashboardSecurityContract {

    private static final String LOCK = "{\"action\":\"lock-open\"}";
    private static final String BREAKER = "/stoplight/api/breaker?id=payments";
    private static final String ENDPOINT = "/actuator/stoplight/payments";

    private final WebApplicationType stack;
    private final Class<?> security;
    private ServiceInstance service;

    DashboardSecurityContract(WebApplicationType stack, Class<?> security) {
        this.stack = stack;
        this.security = security;
    }

    @BeforeAll
    void start() {
        service = ServiceInstance.startSecured(stack, new MemoryBreakerStore(), security, "stoplight.dashboard.enabled=true");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @BeforeEach
    void secret() {
        service.breaker("payments").forget();
        service.fail(service.breaker("payments"), 1, "secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/stoplight", "/stoplight/", "/stoplight/dashboard.js", "/stoplight/api/breakers", BREAKER, "/stoplight/api/csrf",
                "/actuator/stoplight", ENDPOINT, "/actuator/stoplight?id=payments"
            })
    void anonymousUserSeesNothing(String path) {
        HttpResponse<String> response = service.get(path);

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body()).doesNotContain("payments", "secret");
    }

    @Test
    void anonymousUserChangesNothing() {
        assertThat(service.post(BREAKER, LOCK).statusCode()).isIn(401, 403);
        assertThat(service.post(ENDPOINT, LOCK).statusCode()).isIn(401, 403);
        assertThat(service.delete(BREAKER).statusCode()).isIn(401, 403);
        assertUnchanged();
    }

    @Test
    void viewerSeesEverythingAndChangesNothing() {
        Session viewer = new Session("viewer");

        assertThat(service.get("/stoplight/", viewer.headers()).statusCode()).isEqualTo(200);
        assertThat(service.get(BREAKER, viewer.headers()).body()).contains("secret");
        assertThat(service.get(ENDPOINT, viewer.headers()).body()).contains("secret");
        assertThat(service.post(BREAKER, LOCK, viewer.headersWithToken()).statusCode()).isEqualTo(403);
        assertThat(service.delete(BREAKER, viewer.headersWithToken()).statusCode()).isEqualTo(403);
        assertThat(service.post(ENDPOINT, LOCK, viewer.headersWithToken()).statusCode()).isEqualTo(403);
        assertThat(service.delete(ENDPOINT, viewer.headersWithToken()).statusCode()).isEqualTo(403);
        assertUnchanged();
    }

    @Test
    void operatorNeedsTheTokenToChangeSomething() {
        Session operator = new Session("operator");

        assertThat(service.post(BREAKER, LOCK, operator.headers()).statusCode()).isIn(401, 403);
        assertThat(service.delete(BREAKER, operator.headers()).statusCode()).isIn(401, 403);
        assertThat(service.post(ENDPOINT, LOCK, operator.headers()).statusCode()).isIn(401, 403);
        assertUnchanged();

        HttpResponse<String> locked = service.post(BREAKER, LOCK, operator.headersWithToken());
        assertThat(locked.statusCode()).as(locked.body()).isEqualTo(200);
        assertThat(ServiceInstance.json(locked).path("lock").asString()).isEqualTo("OPEN");
        assertThat(service.post(ENDPOINT, "{\"action\":\"unlock\"}", operator.headersWithToken()).statusCode()).isEqualTo(200);
        assertThat(service.delete(BREAKER, operator.headersWithToken()).statusCode()).isEqualTo(204);
    }

    private void assertUnchanged() {
        assertThat(service.breaker("payments").snapshot().lock()).isNull();
        assertThat(service.breaker("payments").snapshot().failures()).isEqualTo(1);
    }

    /** A signed-in user with the cookies and the token that the page would have. */
    private final class Session {

        private final String authorization;
        private final String cookies;
        private final JsonNode token;

        private Session(String user) {
            authorization = "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
            HttpResponse<String> response = service.get("/stoplight/api/csrf", "Authorization", authorization);
            assertThat(response.statusCode()).isEqualTo(200);
            List<String> set = response.headers().allValues("Set-Cookie");
            cookies = set.stream().map(cookie -> cookie.substring(0, cookie.indexOf(';'))).collect(Collectors.joining("; "));
            token = ServiceInstance.json(response);
            assertThat(token.propertyNames()).containsExactly("header", "token");
        }

        private String[] headers() {
            return new String[] {"Authorization", authorization, "Cookie", cookies};
        }

        private String[] headersWithToken() {
            return new String[] {
                "Authorization", authorization, "Cookie", cookies, token.path("header").asString(), token.path("token").asString()
            };
        }
    }
}
