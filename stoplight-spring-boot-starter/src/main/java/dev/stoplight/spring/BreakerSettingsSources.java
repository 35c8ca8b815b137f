package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The layers of configuration: lays them over each other, and tells from which one a setting comes. */
public final class BreakerSettingsSources {

    private static final BreakerSettings OFF = BreakerSettings.builder().enabled(false).build();

    private final StoplightProperties properties;
    private final Supplier<BreakerRegistry> registry;
    private final BreakerSettings defaults;
    private final Map<String, BreakerSettings> annotated = new ConcurrentHashMap<>();

    BreakerSettingsSources(StoplightProperties properties, Supplier<BreakerRegistry> registry) {
        this.properties = properties;
        this.registry = registry;
        this.defaults = properties.defaults().toBreakerSettings();
    }

    /** The configured settings of the breaker of that name: its own over its annotation's over the defaults. */
    public BreakerSettings configured(String name) {
        BreakerSettings settings = defaults.overriddenBy(annotated(name)).overriddenBy(yml(name));
        return properties.enabled() ? settings : settings.overriddenBy(OFF);
    }

    /** Where the value that this breaker uses now comes from. */
    public SettingSource source(Breaker breaker, BreakerSetting setting) {
        String name = breaker.name();
        if (sets(breaker.overrides(), setting) || (breaker.key() != null && inherits(name, setting))) {
            return SettingSource.RUNTIME;
        }
        if (sets(yml(name), setting)) {
            return SettingSource.YML;
        }
        if (sets(annotated(name), setting)) {
            return SettingSource.ANNOTATION;
        }
        if (sets(defaults, setting)) {
            return SettingSource.DEFAULTS;
        }
        return sets(breaker.settings(), setting) ? SettingSource.ANNOTATION : SettingSource.BUILT_IN;
    }

    /** A key follows what was changed at run time for its name. */
    private boolean inherits(String name, BreakerSetting setting) {
        return registry.get().find(name).map(ofName -> sets(ofName.overrides(), setting)).orElse(false);
    }

    private static boolean sets(BreakerSettings settings, BreakerSetting setting) {
        return settings.explicit().contains(setting);
    }

    private BreakerSettings yml(String name) {
        StoplightProperties.Settings own = properties.breakers().get(name);
        return own == null ? BreakerSettings.builtIn() : own.toBreakerSettings();
    }

    private BreakerSettings annotated(String name) {
        return annotated.getOrDefault(name, BreakerSettings.builtIn());
    }
}
