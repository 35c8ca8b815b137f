package dev.stoplight.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import redis.embedded.RedisServer;

/**
 * Sees to it that there is a Redis: the one that is configured, the one that another instance started, or one of its own.
 *
 * <p>It is a real server, not an imitation, and keeps nothing on disk.
 */
final class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    /** Says in words which Redis is used. */
    static final String DESCRIPTION = "sample.redis.description";

    private static final List<String> CONFIGURED_BY =
            List.of("url", "host", "port", "sentinel.master", "cluster.nodes", "cluster.nodes[0]");
    private static final int ANSWER_MILLIS = 500;

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        if (CONFIGURED_BY.stream().anyMatch(name -> environment.containsProperty("spring.data.redis." + name))) {
            use(environment, Map.of(DESCRIPTION, "the one configured under spring.data.redis.*"));
            return;
        }
        int port = environment.getProperty("sample.redis.port", int.class, 16379);
        boolean started = !answers(port) && start(port);
        String whose = started ? "started by this instance" : "found running there";
        use(
                environment,
                Map.of(
                        "spring.data.redis.host", "127.0.0.1",
                        "spring.data.redis.port", port,
                        // Only the provider's knobs go through this connection; nothing waits for them.
                        "spring.data.redis.timeout", "500ms",
                        DESCRIPTION, "an embedded one on port " + port + ", " + whose));
    }

    private static void use(ConfigurableEnvironment environment, Map<String, Object> properties) {
        environment.getPropertySources().addLast(new MapPropertySource("embedded Redis", properties));
    }

    /** Starts a server that ends with this process; false when another instance was faster. */
    private static boolean start(int port) {
        try {
            RedisServer.newRedisServer()
                    .port(port)
                    .bind("127.0.0.1")
                    .setting("save \"\"")
                    .setting("appendonly no")
                    .onShutdownForceStop(true)
                    .build()
                    .start();
            return true;
        } catch (IOException e) {
            if (answers(port)) {
                return false;
            }
            throw new UncheckedIOException(
                    "Redis could not be started on port " + port + "; choose another with --sample.redis.port, or use your own with"
                            + " --spring.data.redis.host and --spring.data.redis.port. The embedded one needs glibc and OpenSSL 3 on x86-64"
                            + " Linux, and Homebrew's openssl@3 on Apple Silicon",
                    e);
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MILLIS);
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }
}
