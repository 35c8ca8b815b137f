package dev.stoplight.spring.actuate;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerCalls;
import dev.stoplight.BreakerDetails;
import dev.stoplight.BreakerFailure;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerSnapshot;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import dev.stoplight.spring.BreakerSettingsSources;
import dev.stoplight.spring.SettingSource;
import dev.stoplight.store.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Breakers as JSON objects. They are plain maps, so that no application's JSON settings can change a name or a date in them. */
final class BreakerJson {

    private BreakerJson() {}

    static String color(BreakerState state) {
        return switch (state) {
            case OPEN -> "red";
            case HALF_OPEN -> "yellow";
            case CLOSED -> "green";
        };
    }

    static Map<String, @Nullable Object> store(BreakerRegistry registry) {
        StoreStatus status = registry.storeStatus();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("type", registry.storeType());
        json.put("status", status.up() ? "UP" : "DOWN");
        json.put("since", text(status.since()));
        json.put("detail", status.detail());
        return json;
    }

    static Map<String, @Nullable Object> summary(Breaker breaker, BreakerSnapshot now) {
        BreakerSettings settings = now.settings();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", breaker.id());
        json.put("name", now.name());
        json.put("key", now.key());
        json.put("state", now.state().name());
        json.put("color", color(now.state()));
        json.put("lock", now.lock() == null ? null : now.lock().name());
        json.put("enabled", settings.enabled());
        json.put("failures", now.failures());
        json.put("mode", value(settings, BreakerSetting.MODE));
        json.put("threshold", settings.threshold());
        json.put("retryAfterMs", now.retryAfter().toMillis());
        json.put("since", text(now.since()));
        json.put("probes", now.probes());
        json.put("halfOpenCalls", settings.halfOpenCalls());
        return json;
    }

    static Map<String, @Nullable Object> detail(Breaker breaker, BreakerDetails details, BreakerSettingsSources sources) {
        Map<String, @Nullable Object> json = summary(breaker, details.snapshot());
        json.put("settings", settings(breaker, sources));
        json.put("recentFailures", details.recentFailures().stream().map(BreakerJson::failure).toList());
        json.put("transitions", details.transitions().stream().map(BreakerJson::transition).toList());
        json.put("calls", calls(breaker.calls()));
        return json;
    }

    private static Map<String, @Nullable Object> settings(Breaker breaker, BreakerSettingsSources sources) {
        BreakerSettings now = breaker.settings();
        Set<BreakerSetting> own = breaker.overrides().explicit();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        sources.sources(breaker).forEach((setting, source) -> {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("value", value(now, setting));
            entry.put("source", source.text());
            if (source == SettingSource.RUNTIME && !own.contains(setting)) {
                // Changed for the name, which this key follows.
                entry.put("of", breaker.name());
            }
            json.put(setting.key(), entry);
        });
        return json;
    }

    /** In the type that JSON has for it, otherwise as the text that {@code configure} understands. */
    private static Object value(BreakerSettings settings, BreakerSetting setting) {
        Object value = settings.get(setting);
        if (value instanceof Collection<?> names) {
            return List.copyOf(names);
        }
        return value instanceof Duration || value instanceof BreakerMode ? setting.format(value) : value;
    }

    private static Map<String, @Nullable Object> failure(BreakerFailure failure) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("at", text(failure.at()));
        json.put("error", failure.error());
        json.put("message", failure.message());
        json.put("instance", failure.instance());
        json.put("durationMs", failure.durationMillis());
        return json;
    }

    private static Map<String, @Nullable Object> transition(BreakerTransition transition) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("at", text(transition.at()));
        json.put("from", transition.from().name());
        json.put("to", transition.to().name());
        json.put("reason", transition.reason());
        json.put("instance", transition.instance());
        return json;
    }

    private static Map<String, @Nullable Object> calls(BreakerCalls calls) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("succeeded", calls.succeeded());
        json.put("failed", calls.failed());
        json.put("ignored", calls.ignored());
        json.put("slow", calls.slow());
        json.put("rejected", calls.rejected());
        return json;
    }

    static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
