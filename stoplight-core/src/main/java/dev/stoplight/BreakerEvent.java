package dev.stoplight;

import dev.stoplight.store.StoreStatus;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that happened to a breaker or to the store. */
public sealed interface BreakerEvent {

    /**
     * A light changed its state.
     *
     * @param own whether this instance caused it; true on exactly one instance of the fleet, which is the one to notify people
     */
    record Transitioned(String name, @Nullable String key, BreakerTransition transition, boolean own) implements BreakerEvent {}

    /** A light was locked, or with null unlocked. */
    record LockChanged(String name, @Nullable String key, @Nullable BreakerLock lock, String instance, boolean own)
            implements BreakerEvent {}

    /** Settings were changed at run time; {@code overrides} is all that is changed now, empty after it was cleared. */
    record SettingsChanged(String name, @Nullable String key, Map<String, String> overrides, String instance, boolean own)
            implements BreakerEvent {}

    /** A breaker without a key came into use on this instance. */
    record Created(String name) implements BreakerEvent {}

    /** A breaker was removed everywhere by an operator. */
    record Forgotten(String name, @Nullable String key) implements BreakerEvent {}

    /** The store cannot be reached; breakers go on locally. */
    record StoreDown(StoreStatus status) implements BreakerEvent {}

    /** The store is back after {@code outage}. */
    record StoreUp(StoreStatus status, Duration outage) implements BreakerEvent {}
}
