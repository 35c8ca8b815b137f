package dev.stoplight.benchmarks.redis;

import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Redis server of the benchmark's own, and a look inside it. */
final class RedisLab implements AutoCloseable {

    private static final Pattern COMMAND = Pattern.compile("(?m)^cmdstat_([^:]+):calls=(\\d+),usec=(\\d+)");
    private static final Pattern MEMORY = Pattern.compile("(?m)^used_memory:(\\d+)");

    private final RedisServerProcess server = new RedisServerProcess();
    private final RedisClient client = RedisClient.create(server.uri());
    private final StatefulRedisConnection<String, String> connection = client.connect();

    /** How often a command was called, by clients and by scripts, and how long it took in all. */
    record Use(long calls, long micros) {}

    String uri() {
        return server.uri();
    }

    int port() {
        return server.port();
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    /** Another connection of the same client. */
    StatefulRedisConnection<String, String> connect() {
        return client.connect();
    }

    /** What the server has done since it started. */
    Map<String, Use> commands() {
        Map<String, Use> commands = new TreeMap<>();
        Matcher matcher = COMMAND.matcher(redis().info("commandstats"));
        while (matcher.find()) {
            commands.put(matcher.group(1), new Use(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))));
        }
        return commands;
    }

    /** How many commands the server has carried out, those that only look at it left out. */
    long commandCount() {
        return commands().entrySet().stream()
                .filter(entry -> !entry.getKey().equals("info"))
                .mapToLong(entry -> entry.getValue().calls())
                .sum();
    }

    long usedMemory() {
        Matcher matcher = MEMORY.matcher(redis().info("memory"));
        if (!matcher.find()) {
            throw new IllegalStateException("INFO memory does not say used_memory");
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Has the server note how long each command takes. */
    void timeEachCommand() {
        redis().configSet("slowlog-max-len", "10000");
        redis().configSet("slowlog-log-slower-than", "0");
    }

    /** How long each script took inside the server, in microseconds, since the last time. */
    List<Double> scriptMicros() {
        List<Double> micros = redis().slowlogGet(10_000).stream()
                .map(entry -> (List<?>) entry)
                .filter(entry -> ((List<?>) entry.get(3)).get(0).toString().equalsIgnoreCase("EVALSHA"))
                .map(entry -> ((Number) entry.get(2)).doubleValue())
                .toList();
        redis().slowlogReset();
        return micros;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }
}
