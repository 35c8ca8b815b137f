package dev.stoplight.redis;

import dev.stoplight.BreakerContractTest;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import dev.stoplight.testing.TestClock;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.UUID;

/** The contract on a real server: each node has a store and a connection of its own, each test a prefix of its own. */
abstract class RedisContract extends BreakerContractTest {

    /** Long enough that a busy machine is not taken for a broken Redis. */
    static final Duration PATIENT = Duration.ofSeconds(10);

    private final String prefix = "contract-" + UUID.randomUUID();

    abstract Server server();

    @Override
    protected BreakerStore newStore(TestClock clock) {
        return RedisBreakerStore.builder(server().client()).keyPrefix(prefix).timeout(PATIENT).clock(clock).connect();
    }

    /** A server for all tests of a class. */
    record Server(RedisServerProcess process, RedisClient client) {

        static Server start(RedisServerProcess process) {
            return new Server(process, RedisClient.create(process.uri()));
        }

        void stop() {
            client.shutdown(Duration.ZERO, PATIENT);
            process.close();
        }
    }
}
