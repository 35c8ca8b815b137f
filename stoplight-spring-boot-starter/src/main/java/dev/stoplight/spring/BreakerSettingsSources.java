package dev.stoplight.spring;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** The layers of configuration: lays them over each other, and tells from which one a setting comes. */
public final class BreakerSettingsSources {

    private static final BreakerSettings OFF = BreakerSettings.builder().enabled(false).build();

    /** Names that can be told from the setting that follows them without brackets. */
    private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{Alnum}_-]+(\\.[\\p{Alnum}_-]+)*");

    private final StoplightProperties properties;
    private final Binder binder;
    private final Supplier<BreakerRegistry> registry;
    private final BreakerSettings defaults;
    private final Map<String, Annotated> annotated = new ConcurrentHashMap<>();

    private record Annotated(BreakerSettings settings, GuardedMethod by) {}

    BreakerSettingsSources(StoplightProperties properties, Environment environment, Supplier<BreakerRegistry> registry) {
        this.properties = properties;
        this.binder = Binder.get(environment);
        this.registry = registry;
        this.defaults = properties.defaults().toBreakerSettings();
        UnknownSettings.refuse(environment);
    }

    /** The configured settings of the breaker of that name: its own over its annotation's over the defaults. */
    public BreakerSettings configured(String name) {
        BreakerSettings settings = defaults.overriddenBy(annotated(name)).overriddenBy(yml(name));
        return properties.enabled() ? settings : settings.overriddenBy(OFF);
    }

    /** Where each value that this breaker uses now comes from. */
    public Map<BreakerSetting, SettingSource> sources(Breaker breaker) {
        String name = breaker.name();
        Map<BreakerSetting, SettingSource> sources = new EnumMap<>(BreakerSetting.class);
        List.of(BreakerSetting.values()).forEach(setting -> sources.put(setting, SettingSource.BUILT_IN));
        // From the weakest on. What none of the layers here sets was given in code.
        lay(sources, breaker.settings(), SettingSource.ANNOTATION);
        lay(sources, defaults, SettingSource.DEFAULTS);
        lay(sources, annotated(name), SettingSource.ANNOTATION);
        lay(sources, yml(name), SettingSource.YML);
        if (breaker.key() != null) {
            // A key follows what was changed at run time for its name.
            registry.get().find(name).ifPresent(ofName -> lay(sources, ofName.overrides(), SettingSource.RUNTIME));
        }
        lay(sources, breaker.overrides(), SettingSource.RUNTIME);
        return sources;
    }

    private static void lay(Map<BreakerSetting, SettingSource> sources, BreakerSettings settings, SettingSource source) {
        settings.explicit().forEach(setting -> sources.put(setting, source));
    }

    private static boolean sets(BreakerSettings settings, BreakerSetting setting) {
        return settings.explicit().contains(setting);
    }

    /**
     * What is configured for that name. Beyond the exact names of the map, names are matched as property names are, so that
     * {@code Quotes.quote} needs no brackets and an environment variable can set it.
     */
    private BreakerSettings yml(String name) {
        BreakerSettings exact = settings(properties.breakers().get(name));
        if (!PLAIN_NAME.matcher(name).matches() || isOneOfSeveral(name)) {
            return exact;
        }
        ConfigurationPropertyName relaxed = ConfigurationPropertyName.adapt("stoplight.breakers." + name, '.');
        return exact.overriddenBy(settings(binder.bind(relaxed, Bindable.of(StoplightProperties.Settings.class)).orElse(null)));
    }

    /** Names that differ only in case and separators are the same to a property, so each has what is its own and nothing of the other's. */
    private boolean isOneOfSeveral(String name) {
        Set<String> names = properties.breakers().keySet();
        return names.contains(name) && names.stream().filter(other -> uniform(other).equals(uniform(name))).count() > 1;
    }

    /** The form in which names of properties are compared. */
    private static String uniform(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static BreakerSettings settings(StoplightProperties.@Nullable Settings own) {
        return own == null ? BreakerSettings.builtIn() : own.toBreakerSettings();
    }

    private BreakerSettings annotated(String name) {
        Annotated known = annotated.get(name);
        return known == null ? BreakerSettings.builtIn() : known.settings;
    }

    /** Takes in what an annotation sets. Several annotations may share a name, but they must agree. */
    void annotate(String name, BreakerSettings settings, GuardedMethod by) {
        annotated.merge(name, new Annotated(settings, by), (before, now) -> {
            for (BreakerSetting setting : now.settings.explicit()) {
                if (sets(before.settings, setting) && !before.settings.get(setting).equals(now.settings.get(setting))) {
                    throw by.invalid(
                            setting.key() + " of breaker '" + name + "' is " + setting.format(now.settings.get(setting)) + " here and "
                                    + setting.format(before.settings.get(setting)) + " on method '" + before.by + "'",
                            "Give both methods the same value, or breakers of different names.");
                }
            }
            return new Annotated(before.settings.overriddenBy(now.settings), by);
        });
    }
}
