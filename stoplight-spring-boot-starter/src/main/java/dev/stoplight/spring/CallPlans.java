package dev.stoplight.spring;

import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/** Turns annotations into {@link CallPlan}s. */
final class CallPlans {

    private static final Log LOG = LogFactory.getLog(CallPlans.class);
    private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux", CallPlans.class.getClassLoader());
    private static final String DURATION = "Write a duration such as 500ms, 30s, 5m or PT1M, or a placeholder for one.";

    private final ConfigurableListableBeanFactory beans;
    private final BreakerSettingsSources sources;
    private final ObjectProvider<BreakerRegistry> registry;

    CallPlans(ConfigurableListableBeanFactory beans, BreakerSettingsSources sources, ObjectProvider<BreakerRegistry> registry) {
        this.beans = beans;
        this.sources = sources;
        this.registry = registry;
    }

    CallPlan plan(GuardedMethod guarded) {
        MergedAnnotation<CircuitBreaker> annotation = guarded.annotation();
        String key = annotation.getString("key");
        String fallback = annotation.getString("fallback");
        String name = name(guarded);
        KeyExpression expression = key.isBlank() ? null : KeyExpression.parse(key, guarded, beans);
        Fallbacks fallbacks = fallback.isBlank() ? null : Fallbacks.resolve(fallback, guarded);
        CallPlan plan = new CallPlan(name, expression, fallbacks, call(guarded), registry::getObject, sources);
        sources.annotate(name, settings(guarded), guarded);
        return plan;
    }

    private String name(GuardedMethod guarded) {
        String given = guarded.annotation().getString("name");
        if (given.isEmpty()) {
            return guarded.defaultName();
        }
        String name = resolve(guarded, "name", given);
        if (name.isBlank()) {
            throw guarded.invalid("name must not be blank, was '" + given + "'", "Give the breaker a name, or leave the name out.");
        }
        return name;
    }

    private BreakerSettings settings(GuardedMethod guarded) {
        MergedAnnotation<CircuitBreaker> annotation = guarded.annotation();
        BreakerSettings.Builder settings = BreakerSettings.builder();
        int threshold = annotation.getInt("threshold");
        if (threshold != CircuitBreaker.UNSET) {
            set(settings, BreakerSetting.THRESHOLD, threshold, guarded, "Give a threshold of at least 1, or leave it out.");
        }
        duration(settings, BreakerSetting.WINDOW, "window", guarded);
        duration(settings, BreakerSetting.COOL_OFF, "coolOff", guarded);
        BreakerMode[] modes = annotation.getEnumArray("mode", BreakerMode.class);
        if (modes.length > 1) {
            throw guarded.invalid("mode must be one, was " + List.of(modes), "Choose one mode.");
        }
        if (modes.length == 1) {
            settings.mode(modes[0]);
        }
        exceptions(settings, BreakerSetting.RECORD_EXCEPTIONS, annotation.getClassArray("recordExceptions"));
        exceptions(settings, BreakerSetting.IGNORE_EXCEPTIONS, annotation.getClassArray("ignoreExceptions"));
        return settings.build();
    }

    private void duration(BreakerSettings.Builder settings, BreakerSetting setting, String attribute, GuardedMethod guarded) {
        String text = guarded.annotation().getString(attribute);
        if (!text.isEmpty()) {
            set(settings, setting, resolve(guarded, attribute, text), guarded, DURATION);
        }
    }

    private static void exceptions(BreakerSettings.Builder settings, BreakerSetting setting, Class<?>[] types) {
        if (types.length > 0) {
            settings.set(setting, types);
        }
    }

    private static void set(BreakerSettings.Builder settings, BreakerSetting setting, Object value, GuardedMethod guarded, String action) {
        try {
            settings.set(setting, value);
        } catch (IllegalArgumentException e) {
            throw guarded.invalid(String.valueOf(e.getMessage()), action, e);
        }
    }

    private String resolve(GuardedMethod guarded, String attribute, String text) {
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw guarded.invalid(
                    attribute + " '" + text + "' has a placeholder that cannot be resolved: " + e.getMessage(),
                    "Define the property, or give the placeholder a default as in ${property:30s}.",
                    e);
        }
    }

    private static GuardedCall call(GuardedMethod guarded) {
        Class<?> type = GenericTypeResolver.resolveReturnType(guarded.method(), guarded.beanClass());
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return new StageCall(REACTOR ? ReactiveCall::mustNotBlock : () -> false);
        }
        if (CompletionStage.class.isAssignableFrom(type)) {
            throw guarded.invalid(
                    "return type " + type.getSimpleName() + " is not supported, because only a CompletionStage or a CompletableFuture"
                            + " can stand for the call",
                    "Let the method return CompletionStage or CompletableFuture.");
        }
        if (Future.class.isAssignableFrom(type)) {
            LOG.warn("@CircuitBreaker on method '" + guarded + "' of bean '" + guarded.beanName() + "' counts a call as a success as soon"
                    + " as the method returns, because nobody is told what becomes of a " + type.getSimpleName()
                    + "; let the method return CompletableFuture");
        }
        GuardedCall reactive = REACTOR ? ReactiveCall.of(type) : null;
        return reactive == null ? new PlainCall() : reactive;
    }
}
