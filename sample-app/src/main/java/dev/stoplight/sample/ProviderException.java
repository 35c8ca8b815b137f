package dev.stoplight.sample;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** The payment provider did not do what it was asked. */
@ResponseStatus(HttpStatus.BAD_GATEWAY)
class ProviderException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean probe;

    ProviderException(String message, boolean probe) {
        super(message);
        this.probe = probe;
    }

    /** Whether the call was a probe. */
    boolean probe() {
        return probe;
    }
}
