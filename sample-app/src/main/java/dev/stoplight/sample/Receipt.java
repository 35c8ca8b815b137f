package dev.stoplight.sample;

import dev.stoplight.CircuitOpenException;

/**
 * What became of a request to the payment provider.
 *
 * @param outcome done, failed or not even tried
 * @param detail a sentence for the customer
 * @param probe whether it was the call that found out if the provider has recovered
 */
record Receipt(Outcome outcome, String detail, boolean probe) {

    /** How a call ended. */
    enum Outcome {
        DONE,
        FAILED,
        REJECTED
    }

    static Receipt done(boolean probe) {
        return new Receipt(Outcome.DONE, "done", probe);
    }

    static Receipt without(Throwable cause, String instead) {
        Outcome outcome = cause instanceof CircuitOpenException ? Outcome.REJECTED : Outcome.FAILED;
        boolean probe = cause instanceof ProviderException failure && failure.probe();
        return new Receipt(outcome, instead + " (" + cause.getMessage() + ")", probe);
    }
}
