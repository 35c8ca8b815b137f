package dev.stoplight;

import org.jspecify.annotations.Nullable;

/** A change that must be shared could not be stored, and so was not made at all. */
public final class StoreUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
