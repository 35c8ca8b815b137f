package dev.stoplight.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.spring.actuate.ServiceInstance;
import dev.stoplight.store.MemoryBreakerStore;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** What the endpoint may not change, the dashboard may not either. */
class DashboardAccessTests {

    private static final String BREAKER = "/stoplight/api/breaker?id=payments";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.stoplight.access=read-only",
                "management.endpoint.stoplight.access=none",
                "management.endpoints.access.max-permitted=read-only"
            })
    void dashboardOfAReadOnlyEndpointShowsEverythingAndChangesNothing(String property) {
        try (ServiceInstance service =
                ServiceInstance.start(WebApplicationType.SERVLET, new MemoryBreakerStore(), property, "stoplight.dashboard.enabled=true")) {
            service.breaker("payments");

            assertThat(service.get(BREAKER).statusCode()).isEqualTo(200);
            for (HttpResponse<String> refused : List.of(service.post(BREAKER, "{\"action\":\"lock-open\"}"), service.delete(BREAKER))) {
                assertThat(refused.statusCode()).isEqualTo(403);
                assertThat(ServiceInstance.json(refused).path("detail").asString())
                        .isEqualTo("changes need management.endpoint.stoplight.access to be unrestricted");
            }
            assertThat(service.get(BREAKER).body()).contains("\"lock\":null");
        }
    }
}
