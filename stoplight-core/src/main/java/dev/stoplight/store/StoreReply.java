package dev.stoplight.store;

import dev.stoplight.BreakerFailure;
import dev.stoplight.BreakerTransition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a store answers, and what it tells every instance when something changed.
 *
 * @param light the breaker after the command
 * @param accepted whether the command had its effect: the failure counted, the probe was granted or settled in time
 * @param instance the instance that asked
 * @param transition the change of state, lock or count that the command made, or null
 * @param overrides what was changed at run time, or null when the reply does not say
 * @param details failures and history, when they were asked for
 * @param forgotten whether the breaker was removed
 */
public record StoreReply(
        Light light,
        boolean accepted,
        String instance,
        @Nullable BreakerTransition transition,
        @Nullable Map<String, String> overrides,
        @Nullable Details details,
        boolean forgotten) {

    /**
     * What only a viewer needs.
     *
     * @param failures the latest failures, newest first
     * @param transitions the latest transitions, newest first
     */
    public record Details(List<BreakerFailure> failures, List<BreakerTransition> transitions) {}
}
