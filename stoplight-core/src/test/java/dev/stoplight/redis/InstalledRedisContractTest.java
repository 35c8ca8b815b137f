package dev.stoplight.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stoplight.testing.RedisServerProcess;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the Redis that this machine has, which is another version than the one that comes with the tests. */
final class InstalledRedisContractTest extends RedisContract {

    private static Server server;

    @BeforeAll
    static void start() {
        Optional<Path> installed = RedisServerProcess.installed();
        assumeTrue(installed.isPresent(), "no redis-server is installed on this machine; the embedded one is tested elsewhere");
        server = Server.start(new RedisServerProcess(installed.orElseThrow()));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop();
        }
    }

    @Override
    Server server() {
        return server;
    }
}
