package dev.stoplight;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 5m}, {@code PT1M}; a bare number means milliseconds. */
final class Durations {

    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)?");

    private Durations() {}

    static Duration parse(String text) {
        Matcher simple = SIMPLE.matcher(text.toLowerCase(Locale.ROOT));
        if (!simple.matches()) {
            return Duration.parse(text);
        }
        long amount = Long.parseLong(simple.group(1));
        String unit = simple.group(2) == null ? "ms" : simple.group(2);
        return switch (unit) {
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            case "d" -> Duration.ofDays(amount);
            default -> Duration.ofMillis(amount);
        };
    }

    static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "off";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}
