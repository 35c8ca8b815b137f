package dev.stoplight.spring;

import java.util.Locale;

/** Where the value of a setting comes from, the strongest first. */
public enum SettingSource {

    /** Changed while the application runs. */
    RUNTIME,

    /** Configured under {@code stoplight.breakers.<name>}. */
    YML,

    /** Given in code: an attribute of the annotation, or settings handed to the registry. */
    ANNOTATION,

    /** Configured under {@code stoplight.defaults}. */
    DEFAULTS,

    /** Set by nobody. */
    BUILT_IN;

    /** The word for it in the endpoint's output, such as {@code built-in}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
