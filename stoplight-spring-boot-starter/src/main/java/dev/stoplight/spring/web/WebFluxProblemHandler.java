package dev.stoplight.spring.web;

import dev.stoplight.CircuitOpenException;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers with a {@link Problem} what no controller and no other handler of WebFlux has handled.
 *
 * <p>Its order is that of Spring Boot's handler of everything, before which it is registered: handlers of the application with
 * the same order or a lower one go first.
 */
final class WebFluxProblemHandler implements WebExceptionHandler, Ordered {

    private static final int ORDER_OF_SPRING_BOOT = -1;

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
        ServerHttpResponse response = exchange.getResponse();
        CircuitOpenException rejection = Problem.rejection(thrown);
        if (rejection == null || response.isCommitted()) {
            return Mono.error(thrown);
        }
        Problem problem = Problem.of(rejection, exchange.getRequest().getURI().getRawPath());
        response.setStatusCode(Problem.STATUS);
        response.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfterSeconds()));
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        DataBuffer body = response.bufferFactory().wrap(problem.body());
        return response.writeWith(Mono.just(body));
    }

    @Override
    public int getOrder() {
        return ORDER_OF_SPRING_BOOT;
    }
}
