package dev.stoplight.spring.actuate;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which lights an operator wants to see.
 *
 * @param page from 0
 * @param size most lights in one answer
 * @param color only lights of this colour, or null
 * @param search only lights whose id contains this, whatever the case; empty for all
 */
public record ListQuery(int page, int size, @Nullable String color, String search) {

    static final int DEFAULT_SIZE = 100;
    static final int LARGEST_SIZE = 1000;
    static final List<String> COLORS = List.of("red", "yellow", "green");

    public ListQuery {
        require(page >= 0, "page", "must be at least 0", page);
        require(size >= 1 && size <= LARGEST_SIZE, "size", "must be between 1 and " + LARGEST_SIZE, size);
        require(color == null || COLORS.contains(color), "color", "must be one of " + String.join(", ", COLORS), color);
    }

    /**
     * The query in a request; what is missing or empty has its default.
     *
     * @throws IllegalArgumentException saying the parameter, the rule and the value
     */
    public static ListQuery of(@Nullable String page, @Nullable String size, @Nullable String color, @Nullable String search) {
        return new ListQuery(
                number("page", page, 0),
                number("size", size, DEFAULT_SIZE),
                color == null || color.isBlank() ? null : color.toLowerCase(Locale.ROOT),
                search == null ? "" : search.toLowerCase(Locale.ROOT));
    }

    private static int number(String name, @Nullable String text, int otherwise) {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number, was " + text, e);
        }
    }

    private static void require(boolean holds, String name, String rule, @Nullable Object value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " " + rule + ", was " + value);
        }
    }
}
