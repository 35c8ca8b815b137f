package dev.stoplight.redis.fault;

import dev.stoplight.redis.fleet.Fleet;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Servers for tests, and a look at what is in them. */
final class Redis {

    private Redis() {}

    /** The server that comes with the tests and, where there is one, the machine's own. */
    static List<Path> executables() {
        return Stream.of(Optional.of(RedisServerProcess.embedded()), RedisServerProcess.installed()).flatMap(Optional::stream).toList();
    }

    /** Asks a server something, on a connection of its own. */
    static <T> T ask(String uri, Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(Fleet.RESOURCES, uri);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Fleet.PATIENT);
        }
    }
}
