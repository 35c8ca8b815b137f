package dev.stoplight.spring.actuate;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * The actuator endpoint {@code stoplight}: see every light, and change it on every instance.
 *
 * <p>An id is the rest of the path, slashes included. One that no path can carry, such as a key with two slashes in a row, is
 * given as the parameter {@code id} instead.
 */
@WebEndpoint(id = "stoplight")
public final class StoplightEndpoint {

    static final EndpointId ID = EndpointId.of("stoplight");

    private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

    private static final WebEndpointResponse<?> NO_ID = response(Answer.badRequest("the parameter id is missing"));

    private final StoplightOperations operations;

    StoplightEndpoint(StoplightOperations operations) {
        this.operations = operations;
    }

    /** The lights, red first; or one of them when {@code id} is given. */
    @ReadOperation
    public WebEndpointResponse<?> list(
            @Nullable String id, @Nullable String page, @Nullable String size, @Nullable String color, @Nullable String search) {
        if (id != null) {
            return response(operations.detail(id));
        }
        try {
            return response(operations.list(ListQuery.of(page, size, color, search)));
        } catch (IllegalArgumentException e) {
            return response(Answer.badRequest(String.valueOf(e.getMessage())));
        }
    }

    /** One light. */
    @ReadOperation
    public WebEndpointResponse<?> detail(@Selector(match = Match.ALL_REMAINING) String[] path) {
        return response(operations.detail(id(path)));
    }

    /** Changes one light; {@code body} is everything in the request, see {@link WholeRequest}. */
    @WriteOperation
    public WebEndpointResponse<?> change(@Selector(match = Match.ALL_REMAINING) String[] path, Map<String, @Nullable Object> body) {
        return response(operations.change(id(path), body));
    }

    /** As {@link #change(String[], Map)}, with the id among the parameters. */
    @WriteOperation
    public WebEndpointResponse<?> change(@Nullable String id, Map<String, @Nullable Object> body) {
        return id == null ? NO_ID : response(operations.change(id, body));
    }

    /** Forgets one light. */
    @DeleteOperation
    public WebEndpointResponse<?> forget(@Selector(match = Match.ALL_REMAINING) String[] path) {
        return response(operations.forget(id(path)));
    }

    /** As {@link #forget(String[])}, with the id among the parameters. */
    @DeleteOperation
    public WebEndpointResponse<?> forget(@Nullable String id) {
        return id == null ? NO_ID : response(operations.forget(id));
    }

    private static String id(String[] path) {
        return String.join("/", path);
    }

    static WebEndpointResponse<?> response(Answer answer) {
        Map<String, @Nullable Object> body = answer.body();
        if (body == null) {
            return new WebEndpointResponse<>(answer.status());
        }
        return answer.isProblem()
                ? new WebEndpointResponse<>(body, answer.status(), PROBLEM)
                : new WebEndpointResponse<>(body, answer.status());
    }
}
