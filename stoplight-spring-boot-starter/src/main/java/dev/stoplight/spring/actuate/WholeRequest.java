package dev.stoplight.spring.actuate;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Looks at a request to {@link StoplightEndpoint} as a whole, of which Spring Boot makes one map.
 *
 * <p>It maps the entries to Java parameters by name and drops the rest, but {@code cool-off} is no Java name, and a mistyped
 * setting must be refused rather than dropped; so a write operation gets all of them. And it lets a body or a parameter replace
 * what the path says, by which a request would change another breaker than the one in its address; so that is refused.
 */
final class WholeRequest implements OperationInvokerAdvisor {

    @Override
    public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(StoplightEndpoint.ID)) {
            return invoker;
        }
        boolean byPath = parameters.stream().anyMatch(parameter -> parameter.getName().equals("path"));
        OperationInvoker whole = type == OperationType.WRITE ? context -> write(invoker, context, byPath ? "path" : "id") : invoker;
        return byPath ? context -> isOnlyInPath(context.getArguments()) ? whole.invoke(context) : refusal() : whole;
    }

    /** The path's own segments come as an array, whatever replaced them as something else. */
    private static boolean isOnlyInPath(Map<String, Object> arguments) {
        return arguments.get("path") instanceof String[] && !arguments.containsKey("id");
    }

    private static Object refusal() {
        return StoplightEndpoint.response(Answer.badRequest("the id is in the path, so neither id nor path may be given besides it"));
    }

    private static @Nullable Object write(OperationInvoker invoker, InvocationContext context, String address) {
        Map<String, Object> body = new LinkedHashMap<>(context.getArguments());
        Map<String, Object> arguments = new HashMap<>();
        Object id = body.remove(address);
        if (id != null) {
            arguments.put(address, id);
        }
        arguments.put("body", body);
        SecurityContext security = context.resolveArgument(SecurityContext.class);
        return invoker.invoke(new InvocationContext(security == null ? SecurityContext.NONE : security, arguments));
    }
}
