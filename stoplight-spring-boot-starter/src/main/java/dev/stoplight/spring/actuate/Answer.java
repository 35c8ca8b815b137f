package dev.stoplight.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operator's request led to, whichever way it came.
 *
 * @param status as in HTTP
 * @param body what to show, made of nothing but maps, lists, text, numbers and flags; null when there is nothing to show
 */
public record Answer(int status, @Nullable Map<String, @Nullable Object> body) {

    static Answer ok(Map<String, @Nullable Object> body) {
        return new Answer(200, body);
    }

    static Answer done() {
        return new Answer(204, null);
    }

    /** The request makes no sense, for the reason given. */
    public static Answer badRequest(String detail) {
        return problem(400, "Bad Request", detail);
    }

    static Answer notFound(String detail) {
        return problem(404, "Not Found", detail);
    }

    static Answer unavailable(String detail) {
        return problem(503, "Service Unavailable", detail);
    }

    /** A refusal; {@code title} is the status in words. */
    public static Answer problem(int status, String title, String detail) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("title", title);
        body.put("status", status);
        body.put("detail", detail);
        return new Answer(status, body);
    }

    /** Whether the request was refused, so that the body is a problem detail. */
    public boolean isProblem() {
        return status >= 400;
    }
}
