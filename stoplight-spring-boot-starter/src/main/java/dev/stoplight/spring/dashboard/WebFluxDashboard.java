package dev.stoplight.spring.dashboard;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The dashboard on WebFlux. */
final class WebFluxDashboard {

    private static final boolean SECURITY_PRESENT =
            ClassUtils.isPresent("org.springframework.security.web.server.csrf.CsrfToken", WebFluxDashboard.class.getClassLoader());

    private WebFluxDashboard() {}

    static RouterFunction<ServerResponse> routes(Dashboard dashboard, String path) {
        RouterFunctions.Builder routes = RouterFunctions.route().GET(path, request -> response(() -> dashboard.redirect(path)));
        for (DashboardFile file : DashboardFile.values()) {
            HandlerFunction<ServerResponse> serve = request -> response(() -> dashboard.file(file));
            routes.GET(path + file.path(), serve).HEAD(path + file.path(), serve);
        }
        return routes.GET(path + "/api/breakers", request -> response(() -> dashboard.list(name -> parameter(request, name))))
                .GET(path + "/api/breaker", request -> response(() -> dashboard.detail(parameter(request, "id"))))
                .POST(path + "/api/breaker", request -> request.bodyToMono(byte[].class)
                        .defaultIfEmpty(new byte[0])
                        .onErrorReturn(DataBufferLimitException.class, new byte[Dashboard.LARGEST_BODY + 1])
                        .flatMap(body -> response(() -> dashboard.change(parameter(request, "id"), contentType(request), body))))
                .DELETE(path + "/api/breaker", request -> response(() -> dashboard.forget(parameter(request, "id"))))
                .GET(path + "/api/csrf", request -> (SECURITY_PRESENT ? Security.token(request) : Mono.<Dashboard.Csrf>empty())
                        .flatMap(csrf -> response(() -> dashboard.csrf(csrf)))
                        .switchIfEmpty(Mono.defer(() -> response(() -> dashboard.csrf(null)))))
                .build();
    }

    private static @Nullable String parameter(ServerRequest request, String name) {
        return request.queryParam(name).orElse(null);
    }

    private static @Nullable String contentType(ServerRequest request) {
        return request.headers().contentType().map(Object::toString).orElse(null);
    }

    /** An answer may wait for the store, so it is made on a thread that may wait. */
    private static Mono<ServerResponse> response(Callable<Reply> answer) {
        return Mono.fromCallable(answer)
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(reply -> ServerResponse.status(reply.status())
                        .headers(headers -> reply.headers().forEach((name, value) -> headers.put(name, List.of(value))))
                        .bodyValue(reply.body()));
    }

    /** Apart, so that it is loaded only where Spring Security is present. */
    private static final class Security {

        private static Mono<Dashboard.Csrf> token(ServerRequest request) {
            return request.attribute(CsrfToken.class.getName()).orElse(null) instanceof Mono<?> token
                    ? token.cast(CsrfToken.class).map(csrf -> new Dashboard.Csrf(csrf.getHeaderName(), csrf.getToken()))
                    : Mono.empty();
        }
    }
}
