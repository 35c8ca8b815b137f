package dev.stoplight.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

final class FirstCommandTest {

    @Test
    void aScriptHasRunBeforeTheFirstCallAndHasLeftNothing() {
        try (RedisServerProcess redis = new RedisServerProcess();
                RedisClient client = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = client.connect();
                RedisBreakerStore store = RedisBreakerStore.connect(client)) {
            assertThat(store.status().up()).isTrue();
            assertThat(connection.sync().info("commandstats")).containsAnyOf("cmdstat_eval:", "cmdstat_evalsha:");
            assertThat(connection.sync().dbsize()).isZero();
        }
    }
}
