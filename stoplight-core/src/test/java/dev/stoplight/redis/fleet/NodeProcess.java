package dev.stoplight.redis.fleet;

import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.redis.RedisBreakerStore;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An instance in a process of its own, which does what it is told, line by line, and can be killed. */
final class NodeProcess implements AutoCloseable {

    private final Process process;
    private final PrintWriter orders;
    private final BufferedReader answers;

    NodeProcess(String uri, String prefix, String instance) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            NodeProcess.class.getName(),
                            uri,
                            prefix,
                            instance)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** {@code call}, {@code fail}, {@code probe} (begins one and keeps it) or {@code state}, and what came of it. */
    String tell(String order) {
        orders.println(order);
        try {
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("the process of the instance has ended, when told to " + order);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as a crash would. */
    void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        kill();
    }

    /** The instance: Redis' address, the key prefix and a name; then orders on standard input. */
    public static void main(String[] args) throws IOException {
        RedisClient client = RedisClient.create(args[0]);
        RedisBreakerStore store = RedisBreakerStore.builder(client).keyPrefix(args[1]).timeout(Duration.ofSeconds(5)).connect();
        BreakerRegistry registry = BreakerRegistry.builder().store(store).instance(args[2]).build();
        // Before that it would decide alone.
        await().atMost(Duration.ofSeconds(30)).until(() -> registry.storeStatus().up());
        Breaker breaker = registry.breaker("payments", ProcessesTest.SETTINGS);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            System.out.println(obey(breaker, order));
        }
    }

    private static String obey(Breaker breaker, String order) {
        try {
            return switch (order) {
                case "call" -> breaker.supply(() -> "value");
                case "fail" -> breaker.supply(() -> {
                    throw new Fleet.Boom();
                });
                case "probe" -> breaker.acquire() == null ? "" : "granted";
                case "state" -> breaker.state().name();
                default -> "no such order";
            };
        } catch (CircuitOpenException rejected) {
            return "rejected";
        } catch (Fleet.Boom thrown) {
            return "failed";
        }
    }
}
