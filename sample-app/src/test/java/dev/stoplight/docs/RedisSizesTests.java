package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sizes in docs/redis.md hold when a breaker is filled as far as it goes. */
final class RedisSizesTests {

    private static final String LONG_MESSAGE = "x".repeat(10_000);

    private RedisServerProcess server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private RedisCommands<String, String> redis;
    private BreakerRegistry registry;

    @BeforeEach
    void start() {
        server = new RedisServerProcess();
        client = RedisClient.create(server.uri());
        connection = client.connect();
        redis = connection.sync();
        BreakerSettings defaults = BreakerSettings.builder().threshold(50).build();
        registry = BreakerRegistry.builder().store(RedisBreakerStore.builder(client).timeout(Duration.ofSeconds(5)).connect()).defaults(defaults).build();
    }

    @AfterEach
    void stop() {
        registry.close();
        connection.close();
        client.shutdown(0, 2, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void aGreenIdleBreakerHasNoKey() {
        registry.breaker("payments").run(() -> {});
        registry.breaker("payouts", "books").run(() -> {});

        assertThat(redis.keys("*")).isEmpty();
    }

    @Test
    void aFullBreakerStaysWithinTheDocumentedSizes() {
        Breaker breaker = registry.breaker("payments");
        for (int i = 0; i < 60; i++) {
            fail(breaker, 50);
            breaker.reset();
        }
        fail(breaker, 49);
        breaker.lock(BreakerLock.OPEN);
        breaker.unlock();
        fail(breaker, 50);

        assertThat(redis.zcard("stoplight:{payments}:failures")).isEqualTo(50);
        assertThat(redis.llen("stoplight:{payments}:history")).isEqualTo(50);
        assertThat(size("state")).isBetween(1L, documented("state"));
        assertThat(size("failures")).isBetween(1L, documented("failures, .*"));
        assertThat(size("history")).isBetween(1L, documented("history, .*"));
    }

    @Test
    void countedCallsStayWithinTheDocumentedSize() {
        Breaker breaker = registry.breaker("payments", BreakerSettings.builder().mode(BreakerMode.RATE).minimumCalls(1000).build());
        fail(breaker, 1);
        long index = Long.parseLong(redis.hkeys("stoplight:{payments}:calls").stream()
                .filter(field -> field.endsWith(":c"))
                .findFirst()
                .orElseThrow()
                .replace(":c", ""));
        // As a minute of heavy traffic would leave them.
        for (long i = index - 60; i < index; i++) {
            for (String kind : new String[] {"c", "f", "l"}) {
                redis.hincrby("stoplight:{payments}:calls", i + ":" + kind, 1_000_000_000L);
            }
        }

        assertThat(size("calls")).isBetween(1L, documented("calls"));
    }

    private long size(String key) {
        return redis.memoryUsage("stoplight:{payments}:" + key);
    }

    private static long documented(String what) {
        Matcher row = Pattern.compile("^\\| " + what + " \\| ([\\d,]+) bytes \\|$", Pattern.MULTILINE)
                .matcher(Markdown.read(Markdown.ROOT.resolve("docs/redis.md")).prose());
        assertThat(row.find()).as("a row for " + what).isTrue();
        return Long.parseLong(row.group(1).replace(",", ""));
    }

    private static void fail(Breaker breaker, int times) {
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(() -> breaker.call(() -> {
                        throw new IllegalStateException(LONG_MESSAGE);
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
