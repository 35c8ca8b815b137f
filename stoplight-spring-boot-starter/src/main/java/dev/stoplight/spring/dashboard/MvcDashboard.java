package dev.stoplight.spring.dashboard;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** The dashboard on Spring MVC. */
final class MvcDashboard {

    private static final boolean SECURITY_PRESENT =
            ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", MvcDashboard.class.getClassLoader());

    private MvcDashboard() {}

    static RouterFunction<ServerResponse> routes(Dashboard dashboard, String path) {
        RouterFunctions.Builder routes = RouterFunctions.route().GET(path, request -> response(dashboard.redirect(path)));
        for (DashboardFile file : DashboardFile.values()) {
            HandlerFunction<ServerResponse> serve = request -> response(dashboard.file(file));
            routes.GET(path + file.path(), serve).HEAD(path + file.path(), serve);
        }
        return routes.GET(path + "/api/breakers", request -> response(dashboard.list(name -> parameter(request, name))))
                .GET(path + "/api/breaker", request -> response(dashboard.detail(parameter(request, "id"))))
                .POST(path + "/api/breaker", request -> response(dashboard.change(parameter(request, "id"), contentType(request), body(request))))
                .DELETE(path + "/api/breaker", request -> response(dashboard.forget(parameter(request, "id"))))
                .GET(path + "/api/csrf", request -> response(dashboard.csrf(SECURITY_PRESENT ? Security.token(request) : null)))
                .build();
    }

    private static @Nullable String parameter(ServerRequest request, String name) {
        return request.param(name).orElse(null);
    }

    private static @Nullable String contentType(ServerRequest request) {
        return request.headers().contentType().map(Object::toString).orElse(null);
    }

    private static byte[] body(ServerRequest request) throws Exception {
        return request.servletRequest().getInputStream().readNBytes(Dashboard.LARGEST_BODY + 1);
    }

    /** Past the application's message converters, which may do anything. */
    private static ServerResponse response(Reply reply) {
        return ServerResponse.status(reply.status())
                .headers(headers -> reply.headers().forEach((name, value) -> headers.put(name, List.of(value))))
                .build((request, response) -> {
                    response.getOutputStream().write(reply.body());
                    return null;
                });
    }

    /** Apart, so that it is loaded only where Spring Security is present. */
    private static final class Security {

        private static Dashboard.@Nullable Csrf token(ServerRequest request) {
            return request.servletRequest().getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new Dashboard.Csrf(token.getHeaderName(), token.getToken())
                    : null;
        }
    }
}
