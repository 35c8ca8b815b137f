package dev.stoplight.sample;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerState;
import jakarta.servlet.ServletContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.util.UriUtils;

/** Calls the payment provider over HTTP. */
@Component
class ProviderClient {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT).build();
    private final BreakerRegistry registry;
    private final String contextPath;
    private volatile int port;

    ProviderClient(BreakerRegistry registry, ServletContext servlets) {
        this.registry = registry;
        this.contextPath = servlets.getContextPath();
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        if (event.getApplicationContext().getServerNamespace() == null) {
            port = event.getWebServer().getPort();
        }
    }

    /** One call outside any breaker: the first takes long in a fresh JVM, and a slow call counts as a failure. */
    @EventListener(ApplicationReadyEvent.class)
    void warmUp() {
        postAsync("/warm-up").handle((receipt, expected) -> receipt).join();
    }

    /** Asks and waits. */
    Receipt post(String path) {
        try {
            return postAsync(path).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ProviderException failure ? failure : e;
        }
    }

    /** Asks; a failure completes the future with {@link ProviderException}. */
    CompletableFuture<Receipt> postAsync(String path) {
        // Whoever calls this is inside a breaker, and a call that runs while its light is yellow is a probe. The page shows which.
        String breaker = path.substring(1).replace('/', ':');
        boolean probe = registry.findById(breaker).filter(b -> b.state() == BreakerState.HALF_OPEN).isPresent();
        String encoded = UriUtils.encode(path, StandardCharsets.UTF_8).replace("%2F", "/");
        URI uri = URI.create("http://127.0.0.1:" + port + contextPath + "/provider" + encoded);
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(LIMIT).POST(HttpRequest.BodyPublishers.noBody()).build();
        return http.sendAsync(request, BodyHandlers.discarding()).handle((response, thrown) -> receipt(response, thrown, probe));
    }

    private static Receipt receipt(HttpResponse<Void> response, Throwable thrown, boolean probe) {
        if (thrown != null) {
            throw new ProviderException("the provider cannot be reached: " + thrown.getMessage(), probe);
        }
        if (response.statusCode() != 200) {
            throw new ProviderException("the provider answered " + response.statusCode(), probe);
        }
        return Receipt.done(probe);
    }
}
