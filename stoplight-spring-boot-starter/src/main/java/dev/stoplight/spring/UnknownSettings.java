package dev.stoplight.spring;

import dev.stoplight.BreakerSetting;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Finds misspelt settings, which binding would pass over: a breaker that is not configured as its owner believes. */
final class UnknownSettings {

    private static final ConfigurationPropertyName DEFAULTS = ConfigurationPropertyName.of("stoplight.defaults");
    private static final ConfigurationPropertyName BREAKERS = ConfigurationPropertyName.of("stoplight.breakers");

    private UnknownSettings() {}

    static void refuse(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            // In the names of environment variables the words of a setting cannot be told from each other.
            boolean ambiguous = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
            if (!ambiguous && source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name -> DEFAULTS.isAncestorOf(name) || isBelowBreaker(name))
                        .forEach(UnknownSettings::requireSetting);
            }
        }
    }

    /** A breaker's name with nothing below it is an empty section. */
    private static boolean isBelowBreaker(ConfigurationPropertyName name) {
        return BREAKERS.isAncestorOf(name) && name.getNumberOfElements() > BREAKERS.getNumberOfElements() + 1;
    }

    private static void requireSetting(ConfigurationPropertyName name) {
        ConfigurationPropertyName property = name.isNumericIndex(name.getNumberOfElements() - 1) ? name.getParent() : name;
        String setting = property.getLastElement(Form.ORIGINAL);
        try {
            BreakerSetting.of(setting);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationException(
                    "Property '" + name + "': " + e.getMessage(),
                    "Correct the name of the setting, or remove the property. A breaker's name that contains special characters is"
                            + " written in brackets, as in stoplight.breakers.[my name].threshold.",
                    e);
        }
    }
}
