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
 * Hands the whole request to a write operation of {@link StoplightEndpoint} as one map.
 *
 * <p>Spring Boot maps a request's properties to Java parameters by name and drops the rest, but {@code cool-off} is no Java
 * name, and a mistyped setting must be refused rather than dropped.
 */
final class WholeBody implements OperationInvokerAdvisor {

    @Override
    public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        return endpoint.equals(StoplightEndpoint.ID) && type == OperationType.WRITE ? context -> invoke(invoker, context) : invoker;
    }

    private static @Nullable Object invoke(OperationInvoker invoker, InvocationContext context) {
        Map<String, Object> body = new LinkedHashMap<>(context.getArguments());
        Map<String, Object> arguments = new HashMap<>();
        Object id = body.remove("id");
        if (id != null) {
            arguments.put("id", id);
        }
        arguments.put("body", body);
        SecurityContext security = context.resolveArgument(SecurityContext.class);
        return invoker.invoke(new InvocationContext(security == null ? SecurityContext.NONE : security, arguments));
    }
}
