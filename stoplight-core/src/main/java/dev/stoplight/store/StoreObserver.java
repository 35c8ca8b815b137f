package dev.stoplight.store;

import dev.stoplight.BreakerSettings;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A registry as its store sees it. Calls must return quickly and never block. */
public interface StoreObserver {

    /**
     * A breaker that is in use on this instance, as it was last seen.
     *
     * @param light with what remains of its cool-off now
     * @param overrides what was changed at run time
     */
    record Active(String id, BreakerSettings settings, Light light, Map<String, String> overrides) {}

    /** The instance that this registry is. */
    String instance();

    /** Something changed: on this instance or on another. */
    void changed(String id, StoreReply change);

    /** What the store really knows after an interruption; replaces whatever was known here. */
    void resynchronised(String id, StoreReply current);

    /** The breaker of that id if it is in use on this instance. */
    @Nullable Active active(String id);

    /** The breakers in use on this instance of which there is more to say than that they are green. */
    Collection<Active> noteworthy();

    /** The store came up or went down. */
    void statusChanged(StoreStatus status);

    /** A command was answered, refused or given up after {@code nanos}. */
    void commandDone(String command, boolean answered, long nanos);
}
