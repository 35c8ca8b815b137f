package dev.stoplight.store;

import dev.stoplight.BreakerSettings;
import java.lang.System.Logger.Level;
import java.util.Map;

/** Settings that were changed at run time, as a store keeps them: text that a person or another version may have written. */
public final class Overrides {

    private static final System.Logger LOG = System.getLogger(Overrides.class.getName());

    private Overrides() {}

    /** The settings in that text; what cannot be understood is left out and logged, since a call must not fail for it. */
    public static BreakerSettings parse(Map<String, String> text) {
        if (text.isEmpty()) {
            return BreakerSettings.builtIn();
        }
        BreakerSettings.Builder settings = BreakerSettings.builder();
        text.forEach((name, value) -> {
            try {
                settings.set(name, value);
            } catch (IllegalArgumentException e) {
                LOG.log(Level.WARNING, "A setting that was changed at run time is not used: {0}", e.getMessage());
            }
        });
        return settings.build();
    }
}
