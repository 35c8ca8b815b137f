package dev.stoplight.spring.actuate;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.store.StoreStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Says {@code DEGRADED} while every instance goes on by itself; a red light does not make the application unhealthy. */
final class StoplightHealthIndicator extends AbstractHealthIndicator {

    private static final Status DEGRADED = new Status("DEGRADED", "the store cannot be reached; breakers go on locally");

    private final BreakerRegistry registry;

    StoplightHealthIndicator(BreakerRegistry registry) {
        super("the breakers could not be counted");
        this.registry = registry;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        StoreStatus status = registry.storeStatus();
        builder.status(status.up() ? Status.UP : DEGRADED)
                .withDetail("store", registry.storeType())
                .withDetail("since", status.since().toString())
                .withDetail("detail", status.detail())
                .withDetail("lights", lights());
    }

    private Map<String, Long> lights() {
        Map<String, Long> lights = new LinkedHashMap<>();
        ListQuery.COLORS.forEach(color -> lights.put(color, 0L));
        registry.breakers().forEach(breaker -> lights.merge(BreakerJson.color(breaker.state()), 1L, Long::sum));
        return lights;
    }
}
