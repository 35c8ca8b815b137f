package dev.stoplight.spring.web;

import dev.stoplight.CircuitOpenException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Answers with a {@link Problem} what no other resolver of Spring MVC has handled. */
final class MvcProblemResolver implements HandlerExceptionResolver, Ordered {

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        CircuitOpenException rejection = Problem.rejection(thrown);
        if (rejection == null || response.isCommitted()) {
            return null;
        }
        Problem problem = Problem.of(rejection, request.getRequestURI());
        try {
            response.resetBuffer();
            response.setStatus(Problem.STATUS.value());
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfterSeconds()));
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            write(problem.body(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ModelAndView();
    }

    /** A handler that has begun to answer leaves only what it has begun with, the stream or the writer. */
    private static void write(byte[] body, HttpServletResponse response) throws IOException {
        ServletOutputStream stream;
        try {
            stream = response.getOutputStream();
        } catch (IllegalStateException e) {
            response.getWriter().write(new String(body, StandardCharsets.UTF_8));
            return;
        }
        stream.write(body);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
