package dev.stoplight.sample;

import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;

/**
 * The provider's knobs, the same on every instance: it plays one provider that all of them depend on, wherever it is turned.
 */
@Component
class SharedKnobs {

    private static final Logger LOG = LoggerFactory.getLogger(SharedKnobs.class);
    private static final String KEY = "stoplight-sample:provider";

    private final StringRedisTemplate redis;
    private volatile Knobs current = Knobs.HEALTHY;

    SharedKnobs(StringRedisTemplate redis) {
        this.redis = redis;
    }

    Knobs current() {
        return current;
    }

    synchronized void turn(Knobs knobs) {
        try {
            redis.opsForHash().putAll(KEY, Map.of(
                    "error-rate", Integer.toString(knobs.errorRate()),
                    "latency", Integer.toString(knobs.latencyMillis()),
                    "broken", String.join(",", knobs.broken())));
        } catch (DataAccessException e) {
            LOG.warn("Redis is away; only this instance's provider is changed: {}", e.getMessage());
        }
        current = knobs;
    }

    @Scheduled(fixedDelay = 200)
    synchronized void refresh() {
        Map<String, String> shared;
        try {
            shared = redis.<String, String>opsForHash().entries(KEY);
        } catch (DataAccessException e) {
            LOG.debug("Redis is away; the knobs stay as they are", e);
            return;
        }
        if (!shared.isEmpty()) {
            Set<String> broken = StringUtils.commaDelimitedListToSet(shared.getOrDefault("broken", ""));
            current = new Knobs(number(shared, "error-rate"), number(shared, "latency"), broken);
        }
    }

    private static int number(Map<String, String> shared, String field) {
        return Integer.parseInt(shared.getOrDefault(field, "0"));
    }
}
