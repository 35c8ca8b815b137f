package dev.stoplight.spring.dashboard;

import dev.stoplight.spring.actuate.Answer;
import dev.stoplight.spring.actuate.ListQuery;
import dev.stoplight.spring.actuate.StoplightOperations;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page and its data, apart from any web stack.
 *
 * <p>The page asks its own server, under its own path and with relative addresses. So it works behind any prefix, and whether or
 * not the actuator is there, exposed, or on another port.
 */
final class Dashboard {

    /** More than any change needs. */
    static final int LARGEST_BODY = 64 * 1024;

    private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

    private static final TypeReference<Map<String, @Nullable Object>> OBJECT = new TypeReference<>() {};

    private final StoplightOperations operations;
    private final boolean mayWrite;

    /** Its own, so that no application's JSON settings change what the page reads. */
    private final JsonMapper json = JsonMapper.builder().build();

    /** A token that the application wants to see again with each change. */
    record Csrf(String header, String token) {}

    Dashboard(StoplightOperations operations, boolean mayWrite) {
        this.operations = operations;
        this.mayWrite = mayWrite;
    }

    /** A file of the page. */
    Reply file(DashboardFile file) {
        try (InputStream resource = DashboardFile.class.getResourceAsStream(file.fileName())) {
            if (resource == null) {
                throw new IllegalStateException(file.fileName() + " is missing");
            }
            return reply(200, file.contentType(), "no-cache", resource.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lights; {@code parameter} reads the request's parameters. */
    Reply list(UnaryOperator<@Nullable String> parameter) {
        try {
            return reply(operations.list(ListQuery.of(
                    parameter.apply("page"), parameter.apply("size"), parameter.apply("color"), parameter.apply("search"))));
        } catch (IllegalArgumentException e) {
            return reply(Answer.badRequest(String.valueOf(e.getMessage())));
        }
    }

    Reply detail(@Nullable String id) {
        return id == null ? noId() : reply(operations.detail(id));
    }

    /** A change; {@code contentType} must be JSON, which no other site can make a browser send without being asked. */
    Reply change(@Nullable String id, @Nullable String contentType, byte[] body) {
        if (id == null) {
            return noId();
        }
        if (!mayWrite) {
            return readOnly();
        }
        if (contentType == null || !contentType.startsWith("application/json")) {
            return reply(Answer.problem(415, "Unsupported Media Type", "Content-Type must be application/json, was " + contentType));
        }
        if (body.length > LARGEST_BODY) {
            return reply(Answer.problem(413, "Content Too Large", "the body must have at most " + LARGEST_BODY + " bytes"));
        }
        @Nullable Map<String, @Nullable Object> request;
        try {
            request = json.readValue(body, OBJECT);
        } catch (JacksonException e) {
            request = null;
        }
        return reply(request == null ? Answer.badRequest("the body must be a JSON object") : operations.change(id, request));
    }

    Reply forget(@Nullable String id) {
        if (id == null) {
            return noId();
        }
        return mayWrite ? reply(operations.forget(id)) : readOnly();
    }

    /** What the page must send with a change; empty when the application asks for nothing. */
    Reply csrf(@Nullable Csrf csrf) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        if (csrf != null) {
            body.put("header", csrf.header);
            body.put("token", csrf.token);
        }
        return reply(new Answer(200, body));
    }

    /** From the path to the page itself. It is relative: which prefixes a proxy has taken off cannot be known here. */
    Reply redirect(String path) {
        return new Reply(302, Map.of("Location", path.substring(path.lastIndexOf('/') + 1) + "/"), new byte[0]);
    }

    private Reply noId() {
        return reply(Answer.badRequest("the parameter id is missing"));
    }

    private Reply readOnly() {
        return reply(Answer.problem(403, "Forbidden", "changes need management.endpoint.stoplight.access to be unrestricted"));
    }

    private Reply reply(Answer answer) {
        String contentType = answer.isProblem() ? "application/problem+json" : "application/json";
        return reply(answer.status(), contentType, "no-store", answer.body() == null ? new byte[0] : json.writeValueAsBytes(answer.body()));
    }

    private static Reply reply(int status, String contentType, String caching, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        headers.put("Cache-Control", caching);
        headers.put("Content-Security-Policy", CONTENT_SECURITY_POLICY);
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Referrer-Policy", "no-referrer");
        return new Reply(status, headers, body);
    }
}
