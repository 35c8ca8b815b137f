package dev.stoplight.spring.web;

import dev.stoplight.CircuitOpenException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.databind.json.JsonMapper;

/**
 * A rejected call as an HTTP response: 503, with the time after which to try again.
 *
 * @param retryAfterSeconds whole seconds, rounded up, and never zero, so that nobody tries again at once
 * @param body a problem detail as JSON
 */
record Problem(long retryAfterSeconds, byte[] body) {

    static final HttpStatus STATUS = HttpStatus.SERVICE_UNAVAILABLE;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    static Problem of(CircuitOpenException rejection, String path) {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("type", "about:blank");
        detail.put("title", STATUS.getReasonPhrase());
        detail.put("status", STATUS.value());
        detail.put("detail", rejection.getMessage());
        detail.put("instance", path);
        return new Problem(Math.max(1, seconds(rejection.retryAfter())), JSON.writeValueAsBytes(detail));
    }

    /** The rejection that was thrown, also when a future's {@code join} or {@code get} has wrapped it; null when it is something else. */
    static @Nullable CircuitOpenException rejection(@Nullable Throwable thrown) {
        if (thrown instanceof CompletionException || thrown instanceof ExecutionException) {
            return rejection(thrown.getCause());
        }
        return thrown instanceof CircuitOpenException rejection ? rejection : null;
    }

    private static long seconds(Duration duration) {
        return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
    }
}
