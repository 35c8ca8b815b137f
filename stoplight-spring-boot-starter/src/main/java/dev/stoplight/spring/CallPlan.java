package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import java.util.List;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** What a call of one method needs to know, found out and checked when its bean was created. */
final class CallPlan implements MethodInterceptor {

    private static final Log LOG = LogFactory.getLog(CallPlan.class);

    private final String name;
    private final @Nullable KeyExpression key;
    private final @Nullable Fallbacks fallbacks;
    private final GuardedCall call;
    private final Supplier<BreakerRegistry> registry;
    private final BreakerSettingsSources sources;

    /** Found on first use: the registry may itself depend on the bean of which this method is. */
    private volatile @Nullable Breaker ofName;

    CallPlan(
            String name,
            @Nullable KeyExpression key,
            @Nullable Fallbacks fallbacks,
            GuardedCall call,
            Supplier<BreakerRegistry> registry,
            BreakerSettingsSources sources) {
        this.name = name;
        this.key = key;
        this.fallbacks = fallbacks;
        this.call = call;
        this.registry = registry;
        this.sources = sources;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return call.run(this, invocation);
    }

    /** The breaker of the name, whatever the key. */
    Breaker ofName() {
        Breaker known = ofName;
        if (known == null) {
            // A registry of the user's own knows nothing of annotations, so the settings are handed over.
            BreakerSettings configured = sources.configured(name);
            known = registry.get().breaker(name, configured);
            warnOfUnused(configured, known);
            ofName = known;
        }
        return known;
    }

    /** A breaker that was in use before its annotation was found keeps the settings that it was created with. */
    private static void warnOfUnused(BreakerSettings configured, Breaker breaker) {
        List<String> unused = configured.explicit().stream()
                .filter(setting -> !breaker.overrides().explicit().contains(setting))
                .filter(setting -> !configured.get(setting).equals(breaker.settings().get(setting)))
                .map(setting -> setting.key() + "=" + setting.format(configured.get(setting)))
                .toList();
        if (!unused.isEmpty()) {
            LOG.warn("Breaker '" + breaker.name() + "' was in use before the bean with its @CircuitBreaker was created, so these settings"
                    + " of the annotation are not used: " + unused);
        }
    }

    /** The breaker that this call is to ask. */
    Breaker breaker(MethodInvocation invocation) {
        Breaker named = ofName();
        String value = key == null ? null : key.evaluate(invocation);
        return value == null ? named : registry.get().breaker(named, value);
    }

    /** The fallback for that outcome; null when the caller is to get it. */
    Fallbacks.@Nullable Fallback fallback(Breaker breaker, Throwable thrown) {
        return fallbacks == null ? null : fallbacks.choose(breaker, thrown);
    }

    boolean hasFallback() {
        return fallbacks != null;
    }
}
