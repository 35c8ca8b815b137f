package dev.stoplight;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of a breaker: what was set, and the built-in values for the rest.
 *
 * <p>It remembers which settings were set, so that one can be laid over another with {@link #overriddenBy}.
 */
public final class BreakerSettings {

    private static final BreakerSettings BUILT_IN = new BreakerSettings(new EnumMap<>(BreakerSetting.class));

    private final EnumMap<BreakerSetting, Object> values;

    private BreakerSettings(EnumMap<BreakerSetting, Object> values) {
        this.values = values;
    }

    /** Settings of which none is set: the built-in values. */
    public static BreakerSettings builtIn() {
        return BUILT_IN;
    }

    public static Builder builder() {
        return new Builder(new EnumMap<>(BreakerSetting.class));
    }

    public Builder toBuilder() {
        return new Builder(new EnumMap<>(values));
    }

    /** These settings, except where {@code upper} sets something else. */
    public BreakerSettings overriddenBy(BreakerSettings upper) {
        if (upper.values.isEmpty()) {
            return this;
        }
        if (values.isEmpty()) {
            return upper;
        }
        EnumMap<BreakerSetting, Object> merged = new EnumMap<>(values);
        merged.putAll(upper.values);
        return new BreakerSettings(merged);
    }

    /** The settings that were set, as opposed to built in. */
    public Set<BreakerSetting> explicit() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** What was set, as text under each setting's key. */
    public Map<String, String> toText() {
        Map<String, String> text = new LinkedHashMap<>();
        values.forEach((setting, value) -> text.put(setting.key(), setting.format(value)));
        return text;
    }

    public Object get(BreakerSetting setting) {
        Object value = values.get(setting);
        return value == null ? setting.builtIn() : value;
    }

    public boolean enabled() {
        return (Boolean) get(BreakerSetting.ENABLED);
    }

    public BreakerMode mode() {
        return (BreakerMode) get(BreakerSetting.MODE);
    }

    public int threshold() {
        return count(BreakerSetting.THRESHOLD);
    }

    public Duration window() {
        return duration(BreakerSetting.WINDOW);
    }

    public Duration coolOff() {
        return duration(BreakerSetting.COOL_OFF);
    }

    public double coolOffMultiplier() {
        return (Double) get(BreakerSetting.COOL_OFF_MULTIPLIER);
    }

    public Duration maxCoolOff() {
        return duration(BreakerSetting.MAX_COOL_OFF);
    }

    public double failureRate() {
        return (Double) get(BreakerSetting.FAILURE_RATE);
    }

    public int minimumCalls() {
        return count(BreakerSetting.MINIMUM_CALLS);
    }

    /** A call at least this slow counts as a failure; empty when that rule is off. */
    public Optional<Duration> slowCall() {
        return optional(BreakerSetting.SLOW_CALL);
    }

    /** An average above this opens the breaker; empty when that rule is off. */
    public Optional<Duration> maxAverageLatency() {
        return optional(BreakerSetting.MAX_AVERAGE_LATENCY);
    }

    public int minimumInstances() {
        return count(BreakerSetting.MINIMUM_INSTANCES);
    }

    public int halfOpenCalls() {
        return count(BreakerSetting.HALF_OPEN_CALLS);
    }

    public Duration probeTimeout() {
        return duration(BreakerSetting.PROBE_TIMEOUT);
    }

    public int recoveryThreshold() {
        return count(BreakerSetting.RECOVERY_THRESHOLD);
    }

    /** Class names of the exceptions that count; empty: every {@link Exception}. */
    public Set<String> recordExceptions() {
        return names(BreakerSetting.RECORD_EXCEPTIONS);
    }

    /** Class names of the exceptions that count as neither failure nor success. */
    public Set<String> ignoreExceptions() {
        return names(BreakerSetting.IGNORE_EXCEPTIONS);
    }

    public boolean recordMessages() {
        return (Boolean) get(BreakerSetting.RECORD_MESSAGES);
    }

    /** Whether calls are counted in buckets: the rate and the latency rule need more than failures. */
    public boolean countsCalls() {
        return mode() == BreakerMode.RATE || maxAverageLatency().isPresent();
    }

    /** Whether that outcome counts as a failure; otherwise it counts as neither. */
    public boolean records(Throwable thrown) {
        if (matches(ignoreExceptions(), thrown)) {
            return false;
        }
        Set<String> recorded = recordExceptions();
        return recorded.isEmpty() ? thrown instanceof Exception : matches(recorded, thrown);
    }

    /** By name and through the superclasses, so that a name sent by another instance needs no class loading here. */
    private static boolean matches(Set<String> names, Throwable thrown) {
        if (names.isEmpty()) {
            return false;
        }
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (names.contains(type.getName())) {
                return true;
            }
        }
        return false;
    }

    private int count(BreakerSetting setting) {
        return (Integer) get(setting);
    }

    private Duration duration(BreakerSetting setting) {
        return (Duration) get(setting);
    }

    private Optional<Duration> optional(BreakerSetting setting) {
        return Optional.of(duration(setting)).filter(d -> !d.isZero());
    }

    @SuppressWarnings("unchecked")
    private Set<String> names(BreakerSetting setting) {
        return (Set<String>) get(setting);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BreakerSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return toText().toString();
    }

    /** Collects settings; each is checked as it is set. */
    public static final class Builder {

        private final EnumMap<BreakerSetting, Object> values;

        private Builder(EnumMap<BreakerSetting, Object> values) {
            this.values = values;
        }

        /** Sets one setting from its type or from text, as {@link BreakerSetting#parse} understands it. */
        public Builder set(BreakerSetting setting, Object value) {
            values.put(setting, setting.parse(value));
            return this;
        }

        /** Sets one setting by its name. */
        public Builder set(String name, Object value) {
            return set(BreakerSetting.of(name), value);
        }

        public Builder enabled(boolean enabled) {
            return set(BreakerSetting.ENABLED, enabled);
        }

        public Builder mode(BreakerMode mode) {
            return set(BreakerSetting.MODE, mode);
        }

        public Builder threshold(int threshold) {
            return set(BreakerSetting.THRESHOLD, threshold);
        }

        public Builder window(Duration window) {
            return set(BreakerSetting.WINDOW, window);
        }

        public Builder coolOff(Duration coolOff) {
            return set(BreakerSetting.COOL_OFF, coolOff);
        }

        public Builder coolOffMultiplier(double multiplier) {
            return set(BreakerSetting.COOL_OFF_MULTIPLIER, multiplier);
        }

        public Builder maxCoolOff(Duration maxCoolOff) {
            return set(BreakerSetting.MAX_COOL_OFF, maxCoolOff);
        }

        public Builder failureRate(double rate) {
            return set(BreakerSetting.FAILURE_RATE, rate);
        }

        public Builder minimumCalls(int calls) {
            return set(BreakerSetting.MINIMUM_CALLS, calls);
        }

        /** {@link Duration#ZERO} turns the rule off. */
        public Builder slowCall(Duration slowCall) {
            return set(BreakerSetting.SLOW_CALL, slowCall);
        }

        /** {@link Duration#ZERO} turns the rule off. */
        public Builder maxAverageLatency(Duration latency) {
            return set(BreakerSetting.MAX_AVERAGE_LATENCY, latency);
        }

        public Builder minimumInstances(int instances) {
            return set(BreakerSetting.MINIMUM_INSTANCES, instances);
        }

        public Builder halfOpenCalls(int calls) {
            return set(BreakerSetting.HALF_OPEN_CALLS, calls);
        }

        public Builder probeTimeout(Duration timeout) {
            return set(BreakerSetting.PROBE_TIMEOUT, timeout);
        }

        public Builder recoveryThreshold(int successes) {
            return set(BreakerSetting.RECOVERY_THRESHOLD, successes);
        }

        @SafeVarargs
        @SuppressWarnings("varargs")
        public final Builder recordExceptions(Class<? extends Throwable>... types) {
            return set(BreakerSetting.RECORD_EXCEPTIONS, types);
        }

        @SafeVarargs
        @SuppressWarnings("varargs")
        public final Builder ignoreExceptions(Class<? extends Throwable>... types) {
            return set(BreakerSetting.IGNORE_EXCEPTIONS, types);
        }

        public Builder recordMessages(boolean recordMessages) {
            return set(BreakerSetting.RECORD_MESSAGES, recordMessages);
        }

        public BreakerSettings build() {
            return values.isEmpty() ? BUILT_IN : new BreakerSettings(new EnumMap<>(values));
        }
    }
}
