package dev.stoplight.store;

import dev.stoplight.BreakerSettings;

/**
 * A command for one breaker.
 *
 * @param id the breaker: its name, or {@code name:key}
 * @param instance the instance that asks
 * @param settings the breaker's configured settings; what was changed at run time for this id is laid over them by the store
 * @param command what to do
 */
public record StoreRequest(String id, String instance, BreakerSettings settings, StoreCommand command) {}
