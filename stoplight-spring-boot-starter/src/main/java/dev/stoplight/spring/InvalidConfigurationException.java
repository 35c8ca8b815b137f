package dev.stoplight.spring;

import org.jspecify.annotations.Nullable;

/** A wrong annotation or property; it stops the application at start-up. */
final class InvalidConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /** The message says what is wrong, the action what to change. */
    InvalidConfigurationException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
