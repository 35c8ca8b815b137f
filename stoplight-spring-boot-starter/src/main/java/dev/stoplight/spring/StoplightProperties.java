package dev.stoplight.spring;

import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * Everything under {@code stoplight.*}.
 *
 * @param enabled Whether methods are protected; when false, the annotation does nothing and every breaker lets its calls through.
 * @param store Where the lights are kept: in Redis (redis), in this process alone (memory), or in Redis when there is a Lettuce connection
 *     factory and in this process otherwise (auto).
 * @param keyPrefix Prefix of every Redis key and of the channel; services with the same prefix share lights of the same name.
 * @param instanceId Name of this instance in failures and transitions; by default the host name and a random suffix.
 * @param order Order of the breaker among the interceptors of a method; a lower one is further out. The default is inside method
 *     security and validation and outside retries, transactions and caches.
 * @param flushInterval How often counted calls are sent to the store, which the rate and latency rules need.
 * @param defaults Settings of every breaker.
 * @param breakers Settings by breaker name; a name with special characters is written in brackets, as in "[name with spaces]".
 */
@ConfigurationProperties("stoplight")
public record StoplightProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") Store store,
        @DefaultValue("stoplight") String keyPrefix,
        @Nullable String instanceId,
        @DefaultValue("" + DEFAULT_ORDER) int order,
        @DefaultValue("100ms") Duration flushInterval,
        @DefaultValue Redis redis,
        @DefaultValue Keyed keyed,
        @DefaultValue Dashboard dashboard,
        @DefaultValue Web web,
        @DefaultValue Settings defaults,
        @DefaultValue Map<String, Settings> breakers) {

    /** Outside whatever has no order of its own (retries, transactions, caches) and inside what has one (method security). */
    static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    public StoplightProperties {
        require(!keyPrefix.isBlank(), "key-prefix", "must not be blank", keyPrefix);
        require(keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0, "key-prefix", "must not contain braces", keyPrefix);
        require(instanceId == null || !instanceId.isBlank(), "instance-id", "must not be blank", instanceId);
        require(flushInterval.isZero() || isAtLeast1ms(flushInterval), "flush-interval", "must be 0 or at least 1ms", flushInterval);
        requireAtMost365Days("flush-interval", flushInterval);
        breakers = Map.copyOf(breakers);
    }

    /** Kinds of store. */
    public enum Store {

        /** Redis when there is a Lettuce connection factory, this process otherwise. */
        AUTO,

        /** Redis, shared by every instance. */
        REDIS,

        /** This process alone. */
        MEMORY
    }

    /**
     * The connection to Redis.
     *
     * @param timeout Longest that a call ever waits for Redis.
     * @param heartbeat How often the subscription is checked, so that a dead connection is found.
     */
    public record Redis(@DefaultValue("100ms") Duration timeout, @DefaultValue("1s") Duration heartbeat) {

        public Redis {
            require(isAtLeast1ms(timeout), "timeout", "must be at least 1ms", timeout);
            requireAtMost365Days("timeout", timeout);
            require(isAtLeast1ms(heartbeat), "heartbeat", "must be at least 1ms", heartbeat);
            requireAtMost365Days("heartbeat", heartbeat);
        }
    }

    /**
     * Breakers with a key.
     *
     * @param maxIdle How long a keyed breaker stays in memory unused; its light stays in Redis.
     * @param maxSize Most keyed breakers that are kept in memory at once.
     */
    public record Keyed(@DefaultValue("10m") Duration maxIdle, @DefaultValue("100000") long maxSize) {

        public Keyed {
            require(!maxIdle.isNegative() && !maxIdle.isZero(), "max-idle", "must be positive", maxIdle);
            requireAtMost365Days("max-idle", maxIdle);
            require(maxSize >= 1, "max-size", "must be at least 1", maxSize);
        }
    }

    /**
     * The dashboard.
     *
     * @param enabled Whether the dashboard is served.
     * @param path Where the dashboard is served.
     */
    public record Dashboard(@DefaultValue("false") boolean enabled, @DefaultValue("/stoplight") String path) {

        public Dashboard {
            require(path.matches("/[^?#\\s]*[^?#\\s/]"), "path", "must start with a slash and not end with one", path);
        }
    }

    /**
     * Rejected calls in web applications.
     *
     * @param problemDetails Whether a rejected call that nothing else handles is answered with 503, Retry-After and a problem detail.
     */
    public record Web(@DefaultValue("true") boolean problemDetails) {}

    /**
     * Settings of breakers; each may be missing, so that what is set here can be told from what is not.
     *
     * @param enabled Whether the breaker is in use; when false it lets every call through and counts nothing.
     * @param mode How failures are counted against the threshold.
     * @param threshold Failures that open the breaker.
     * @param window How long a failure counts.
     * @param coolOff How long the breaker stays open before it lets a probe through.
     * @param coolOffMultiplier Factor by which the cool-off grows with each failed recovery.
     * @param maxCoolOff Longest cool-off that the multiplier leads to.
     * @param failureRate Share of failed calls that opens the breaker in rate mode, above 0 and at most 1.
     * @param minimumCalls Calls in the window below which neither the rate nor the average latency is judged.
     * @param slowCall Duration from which on a call counts as a failure even when it returned, or off.
     * @param maxAverageLatency Average duration of calls in the window above which the breaker opens, or off.
     * @param minimumInstances Instances that must have reported failures before the breaker opens.
     * @param halfOpenCalls Probes that may be in flight at once, in all instances together.
     * @param probeTimeout How long a probe may take before another call may take its place.
     * @param recoveryThreshold Successful probes that close the breaker.
     * @param recordExceptions Exceptions that count as failures; when none is listed, every exception counts.
     * @param ignoreExceptions Exceptions that count as neither failure nor success; wins over record-exceptions.
     * @param recordMessages Whether the messages of exceptions are kept with the failures; false keeps them out of Redis.
     */
    public record Settings(
            @Nullable Boolean enabled,
            @Nullable BreakerMode mode,
            @Nullable Integer threshold,
            @Nullable Duration window,
            @Nullable Duration coolOff,
            @Nullable Double coolOffMultiplier,
            @Nullable Duration maxCoolOff,
            @Nullable Double failureRate,
            @Nullable Integer minimumCalls,
            @Nullable String slowCall,
            @Nullable String maxAverageLatency,
            @Nullable Integer minimumInstances,
            @Nullable Integer halfOpenCalls,
            @Nullable Duration probeTimeout,
            @Nullable Integer recoveryThreshold,
            @Nullable Set<Class<? extends Throwable>> recordExceptions,
            @Nullable Set<Class<? extends Throwable>> ignoreExceptions,
            @Nullable Boolean recordMessages) {

        public Settings {
            slowCall = off(slowCall);
            maxAverageLatency = off(maxAverageLatency);
            requireExceptions("record-exceptions", recordExceptions);
            requireExceptions("ignore-exceptions", ignoreExceptions);
            settings(
                    enabled,
                    mode,
                    threshold,
                    window,
                    coolOff,
                    coolOffMultiplier,
                    maxCoolOff,
                    failureRate,
                    minimumCalls,
                    slowCall,
                    maxAverageLatency,
                    minimumInstances,
                    halfOpenCalls,
                    probeTimeout,
                    recoveryThreshold,
                    recordExceptions,
                    ignoreExceptions,
                    recordMessages);
        }

        /** What is set here. */
        public BreakerSettings toBreakerSettings() {
            return settings(
                    enabled,
                    mode,
                    threshold,
                    window,
                    coolOff,
                    coolOffMultiplier,
                    maxCoolOff,
                    failureRate,
                    minimumCalls,
                    slowCall,
                    maxAverageLatency,
                    minimumInstances,
                    halfOpenCalls,
                    probeTimeout,
                    recoveryThreshold,
                    recordExceptions,
                    ignoreExceptions,
                    recordMessages);
        }

        /** In the order in which {@link BreakerSetting} declares them, which is also that of this record. */
        private static BreakerSettings settings(@Nullable Object... values) {
            BreakerSettings.Builder builder = BreakerSettings.builder();
            for (BreakerSetting setting : BreakerSetting.values()) {
                Object value = values[setting.ordinal()];
                if (value != null) {
                    builder.set(setting, value);
                }
            }
            return builder.build();
        }

        /** YAML reads a plain {@code off} as false. */
        private static @Nullable String off(@Nullable String text) {
            return "false".equals(text) ? "off" : text;
        }

        private static void requireExceptions(String name, @Nullable Set<Class<? extends Throwable>> types) {
            // Binding does not look at the bound of the class, so anything may be in there.
            for (Class<?> type : types == null ? Set.<Class<?>>of() : types) {
                require(Throwable.class.isAssignableFrom(type), name, "must list exceptions", type.getName());
            }
        }
    }

    private static boolean isAtLeast1ms(Duration value) {
        return value.compareTo(Duration.ofMillis(1)) >= 0;
    }

    private static void requireAtMost365Days(String name, Duration value) {
        require(value.compareTo(Duration.ofDays(365)) <= 0, name, "must be at most 365 days", value);
    }

    private static void require(boolean holds, String name, String rule, @Nullable Object value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " " + rule + ", was " + value);
        }
    }
}
