package dev.stoplight.redis;

import dev.stoplight.testing.RedisServerProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class RedisBreakerStoreContractTest extends RedisContract {

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start(new RedisServerProcess());
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @Override
    Server server() {
        return server;
    }
}
