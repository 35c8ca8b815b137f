package dev.stoplight.store;

import dev.stoplight.BreakerLock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that can be asked of a store about one breaker. Each is carried out atomically. */
public sealed interface StoreCommand {

    /** Whether an operator asks for it: such a command is refused when it cannot be shared. */
    default boolean administrative() {
        return false;
    }

    /** A call that began under {@code epoch} failed; {@code counted} calls returned since the last report. */
    record Record(long epoch, Failure failure, Calls counted) implements StoreCommand {}

    /** Calls returned under {@code epoch} (rate and latency rules only). */
    record Count(long epoch, Calls counted) implements StoreCommand {}

    /** A call succeeded under {@code epoch}: forget the streak of failures. */
    record Clear(long epoch) implements StoreCommand {}

    /** Asks for a probe; {@code lease} is unique, so that asking twice takes one. */
    record Acquire(String lease) implements StoreCommand {}

    /** A probe that began under {@code epoch} ended; {@code failure} says how it failed, if it did. */
    record Settle(long epoch, String lease, Verdict verdict, @Nullable Failure failure) implements StoreCommand {}

    /** How a probe ended. */
    enum Verdict {
        SUCCESS,
        FAILURE,
        RELEASED
    }

    /** Reads the light, and with {@code details} also its failures and history. */
    record Read(boolean details) implements StoreCommand {}

    /** Locks the light, or with null unlocks it. Both start afresh. */
    record Lock(@Nullable BreakerLock lock) implements StoreCommand {
        @Override
        public boolean administrative() {
            return true;
        }
    }

    /** Closes the light with nothing counted; a lock stays. */
    record Reset() implements StoreCommand {
        @Override
        public boolean administrative() {
            return true;
        }
    }

    /** Changes settings for the whole fleet; with {@code replace} everything changed before is cleared first. */
    record Configure(Map<String, String> changes, boolean replace) implements StoreCommand {
        public Configure {
            changes = Map.copyOf(changes);
        }

        @Override
        public boolean administrative() {
            return true;
        }
    }

    /** Removes every trace of the breaker. */
    record Forget() implements StoreCommand {
        @Override
        public boolean administrative() {
            return true;
        }
    }

    /** Puts back a light and changed settings that the store has lost; ignored when the store knows better. */
    record Restore(Light light, Map<String, String> overrides) implements StoreCommand {
        public Restore {
            overrides = Map.copyOf(overrides);
        }
    }
}
