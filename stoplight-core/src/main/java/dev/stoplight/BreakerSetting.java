package dev.stoplight;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every setting of a breaker: its name in configuration files and in Redis, its rule and its built-in value.
 *
 * <p>Durations are {@link Duration}s, of which zero means "off" where a setting may be off; exceptions are class names.
 */
public enum BreakerSetting {
    ENABLED(Kind.FLAG, true),
    MODE(Kind.MODE, BreakerMode.CONSECUTIVE),
    THRESHOLD(Kind.COUNT, 3),
    WINDOW(Kind.DURATION, Duration.ofSeconds(60)),
    COOL_OFF(Kind.DURATION, Duration.ofSeconds(60)),
    COOL_OFF_MULTIPLIER(Kind.FACTOR, 1.0),
    MAX_COOL_OFF(Kind.DURATION, Duration.ofMinutes(10)),
    FAILURE_RATE(Kind.RATE, 0.5),
    MINIMUM_CALLS(Kind.COUNT, 20),
    SLOW_CALL(Kind.DURATION_OR_OFF, Duration.ZERO),
    MAX_AVERAGE_LATENCY(Kind.DURATION_OR_OFF, Duration.ZERO),
    MINIMUM_INSTANCES(Kind.COUNT, 1),
    HALF_OPEN_CALLS(Kind.COUNT, 1),
    PROBE_TIMEOUT(Kind.DURATION, Duration.ofSeconds(30)),
    RECOVERY_THRESHOLD(Kind.COUNT, 1),
    RECORD_EXCEPTIONS(Kind.CLASS_NAMES, Set.of()),
    IGNORE_EXCEPTIONS(Kind.CLASS_NAMES, Set.of()),
    RECORD_MESSAGES(Kind.FLAG, true);

    private enum Kind {
        FLAG,
        MODE,
        COUNT,
        FACTOR,
        RATE,
        DURATION,
        DURATION_OR_OFF,
        CLASS_NAMES
    }

    /** Above this a count, or a duration in milliseconds, stops being exact in every store. */
    private static final int MOST = 1_000_000_000;

    private final Kind kind;
    private final Object builtIn;
    private final String key = name().toLowerCase(Locale.ROOT).replace('_', '-');

    BreakerSetting(Kind kind, Object builtIn) {
        this.kind = kind;
        this.builtIn = builtIn;
    }

    /** The name in configuration files, in the endpoint and in Redis, such as {@code cool-off}. */
    public String key() {
        return key;
    }

    /** The value that holds when nobody sets one. */
    public Object builtIn() {
        return builtIn;
    }

    /**
     * The setting of that name; {@code coolOff} and {@code COOL_OFF} are understood too.
     *
     * @throws IllegalArgumentException when there is none; the message lists what there is
     */
    public static BreakerSetting of(String name) {
        String wanted = canonical(name);
        for (BreakerSetting setting : values()) {
            if (canonical(setting.key).equals(wanted)) {
                return setting;
            }
        }
        throw new IllegalArgumentException("unknown setting '" + name + "'; allowed are "
                + Arrays.stream(values()).map(BreakerSetting::key).collect(Collectors.joining(", ")));
    }

    private static String canonical(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /**
     * The typed value of what a person or a file gave: the type itself or text.
     *
     * @throws IllegalArgumentException saying the name, the rule and the value
     */
    public Object parse(Object raw) {
        return switch (kind) {
            case FLAG -> flag(raw);
            case MODE -> mode(raw);
            case COUNT -> count(raw);
            case FACTOR -> factor(raw);
            case RATE -> rate(raw);
            case DURATION -> duration(raw, false);
            case DURATION_OR_OFF -> duration(raw, true);
            case CLASS_NAMES -> classNames(raw);
        };
    }

    /** The value as text that {@link #parse} understands. */
    public String format(Object value) {
        return switch (kind) {
            case MODE -> value.toString().toLowerCase(Locale.ROOT);
            case DURATION, DURATION_OR_OFF -> Durations.format((Duration) value);
            case CLASS_NAMES -> ((Collection<?>) value).stream().map(Object::toString).collect(Collectors.joining(","));
            case FLAG, COUNT, FACTOR, RATE -> value.toString();
        };
    }

    private Boolean flag(Object raw) {
        String text = raw.toString().trim().toLowerCase(Locale.ROOT);
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw bad("must be true or false", raw);
        };
    }

    private BreakerMode mode(Object raw) {
        for (BreakerMode mode : BreakerMode.values()) {
            if (mode.name().equalsIgnoreCase(raw.toString().trim())) {
                return mode;
            }
        }
        throw bad("must be one of consecutive, count, rate", raw);
    }

    private Integer count(Object raw) {
        double number = number(raw, "must be a whole number");
        if (number != Math.rint(number)) {
            throw bad("must be a whole number", raw);
        }
        if (number < 1) {
            throw bad("must be at least 1", raw);
        }
        if (number > MOST) {
            throw bad("must be at most " + MOST, raw);
        }
        return (int) number;
    }

    private Double factor(Object raw) {
        double number = number(raw, "must be a number");
        if (!(number >= 1 && number <= 1000)) {
            throw bad("must be between 1.0 and 1000", raw);
        }
        return number;
    }

    private Double rate(Object raw) {
        double number = number(raw, "must be a number");
        if (!(number > 0 && number <= 1)) {
            throw bad("must be above 0 and at most 1", raw);
        }
        return number;
    }

    private double number(Object raw, String rule) {
        if (raw instanceof Number number) {
            return number.doubleValue();
        }
        try {
            return new BigDecimal(raw.toString().trim()).doubleValue();
        } catch (NumberFormatException e) {
            throw bad(rule, raw);
        }
    }

    private Duration duration(Object raw, boolean offAllowed) {
        String rule = "must be a duration such as 500ms, 30s, 5m or PT1M" + (offAllowed ? ", or off" : "");
        Duration duration;
        if (raw instanceof Duration given) {
            duration = given;
        } else {
            String text = raw.toString().trim();
            if (offAllowed && text.equalsIgnoreCase("off")) {
                return Duration.ZERO;
            }
            try {
                duration = Durations.parse(text);
            } catch (RuntimeException e) {
                throw bad(rule, raw);
            }
        }
        if (duration.isZero() && offAllowed) {
            return Duration.ZERO;
        }
        if (duration.compareTo(Duration.ofMillis(1)) < 0) {
            throw bad("must be at least 1ms", raw);
        }
        if (duration.compareTo(Duration.ofDays(365)) > 0) {
            throw bad("must be at most 365 days", raw);
        }
        return Duration.ofMillis(duration.toMillis());
    }

    private Set<String> classNames(Object raw) {
        Collection<?> items = raw instanceof Collection<?> collection
                ? collection
                : Arrays.asList(raw instanceof Object[] array ? array : raw.toString().split(","));
        Set<String> names = new LinkedHashSet<>();
        for (Object item : items) {
            if (item == null) {
                throw bad("must list class names", raw);
            }
            String name = item instanceof Class<?> type ? type.getName() : item.toString().trim();
            if (name.isEmpty()) {
                continue;
            }
            if (!name.matches("[\\p{L}_$][\\p{L}\\p{N}_$.]*")) {
                throw bad("must list class names", raw);
            }
            names.add(name);
        }
        return Collections.unmodifiableSet(names);
    }

    private IllegalArgumentException bad(String rule, Object raw) {
        return new IllegalArgumentException(key + " " + rule + ", was " + raw);
    }
}
