package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;

/** Which store is chosen, and how its client is derived from the application's. No server is needed for that. */
class StoplightRedisAutoConfigurationTests {

    private final ApplicationContextRunner runner = Contexts.runner()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, StoplightRedisAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=1");

    @Test
    void autoIsRedisWhenThereIsALettuceConnectionFactoryAndAnAbsentRedisStopsNothing() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(BreakerStore.class)).isInstanceOf(RedisBreakerStore.class);
            assertThat(context.getBean(BreakerStore.class).status().up()).isFalse();
        });
    }

    @Test
    void autoIsMemoryWithoutALettuceConnectionFactory() {
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(StoplightRedisAutoConfiguration.class))
                .run(context -> assertThat(context).hasSingleBean(MemoryBreakerStore.class));
    }

    @Test
    void memoryIsMemoryAndOpensNoConnection() {
        runner.withPropertyValues("stoplight.store=memory").run(context -> {
            assertThat(context).hasSingleBean(MemoryBreakerStore.class);
            assertThat(context).doesNotHaveBean(StoplightRedisClient.class);
        });
    }

    @Test
    void redisIsRedis() {
        runner.withPropertyValues("stoplight.store=REDIS").run(context -> assertThat(context).hasSingleBean(RedisBreakerStore.class));
    }

    @Test
    void redisWithoutALettuceConnectionFactoryStopsTheApplication() {
        Contexts.runner()
                .withPropertyValues("stoplight.store=redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationException.class)
                        .hasMessage("stoplight.store is redis, but there is no LettuceConnectionFactory"));
    }

    @Test
    void switchedOffNoConnectionIsOpened() {
        runner.withPropertyValues("stoplight.enabled=false", "stoplight.store=redis").run(context -> {
            assertThat(context).hasSingleBean(MemoryBreakerStore.class);
            assertThat(context).doesNotHaveBean(StoplightRedisClient.class);
        });
    }

    @Test
    void withoutLettuceOrSpringDataTheStoreIsInMemory() {
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(StoplightRedisAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.lettuce", "org.springframework.data", "org.springframework.boot.data"))
                .run(context -> assertThat(context).hasSingleBean(MemoryBreakerStore.class));
    }

    @Test
    void aStoreOfTheUsersOwnIsUsedInstead() {
        runner.withBean("mine", MemoryBreakerStore.class).run(context -> {
            assertThat(context.getBean(BreakerStore.class)).isSameAs(context.getBean("mine"));
            assertThat(context).doesNotHaveBean(StoplightRedisClient.class);
        });
    }

    @Test
    void theConnectionTakesServerCredentialsDatabaseAndTlsFromTheApplicationButHasANameOfItsOwn() {
        runner.withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.username=me",
                        "spring.data.redis.password=secret",
                        "spring.data.redis.database=3",
                        "spring.data.redis.ssl.enabled=true",
                        "spring.data.redis.client-name=application")
                .run(context -> {
                    RedisURI uri = uri(context.getBean(StoplightRedisClient.class).nativeClient());

                    assertThat(uri.getHost()).isEqualTo("127.0.0.1");
                    assertThat(uri.getPort()).isEqualTo(1);
                    assertThat(uri.getDatabase()).isEqualTo(3);
                    assertThat(uri.isSsl()).isTrue();
                    assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
                    assertThat(uri.getClientName()).isEqualTo("stoplight");
                    assertThat(uri.getCredentialsProvider().resolveCredentials().block()).satisfies(credentials -> {
                        assertThat(credentials.getUsername()).isEqualTo("me");
                        assertThat(credentials.getPassword()).isEqualTo("secret".toCharArray());
                    });
                });
    }

    @Test
    void theConnectionUsesThreadsOfItsOwn() {
        runner.run(context -> {
            AbstractRedisClient mine = context.getBean(StoplightRedisClient.class).nativeClient();
            AbstractRedisClient theirs = context.getBean(LettuceConnectionFactory.class).getRequiredNativeClient();

            assertThat(mine).isNotSameAs(theirs);
            assertThat(mine.getResources()).isNotSameAs(theirs.getResources());
        });
    }

    @Test
    void tlsDetailsAreTakenOver() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .startTls()
                .build();
        LettuceConnectionFactory application = new LettuceConnectionFactory(new RedisStandaloneConfiguration("tls.example", 6380), client);

        withClient(application, derived -> {
            RedisURI uri = uri(derived);
            assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
            assertThat(uri.isStartTls()).isTrue();
            assertThat(uri.isSsl()).isTrue();
        });
    }

    @Test
    void aSentinelClientIsDerivedFromASentinelConfiguration() {
        RedisSentinelConfiguration configuration =
                new RedisSentinelConfiguration().master("main").sentinel("a.example", 26379).sentinel("b.example", 26380);
        configuration.setSentinelPassword(RedisPassword.of("sentinel-secret"));
        configuration.setPassword(RedisPassword.of("secret"));
        configuration.setDatabase(2);

        withClient(new LettuceConnectionFactory(configuration), derived -> {
            RedisURI uri = uri(derived);
            assertThat(uri.getSentinelMasterId()).isEqualTo("main");
            assertThat(uri.getSentinels()).extracting(RedisURI::getHost).containsExactlyInAnyOrder("a.example", "b.example");
            assertThat(uri.getDatabase()).isEqualTo(2);
            assertThat(uri.getClientName()).isEqualTo("stoplight");
        });
    }

    @Test
    void aSocketIsTakenOver() {
        withClient(
                new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis.sock")),
                derived -> assertThat(uri(derived).getSocket()).isEqualTo("/tmp/redis.sock"));
    }

    @Test
    void aClusterClientIsDerivedFromAClusterConfiguration() {
        runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:1,127.0.0.1:2", "spring.data.redis.password=secret")
                .run(context -> {
                    AbstractRedisClient derived = context.getBean(StoplightRedisClient.class).nativeClient();

                    assertThat(derived).isInstanceOf(RedisClusterClient.class);
                    Iterable<RedisURI> uris = ReflectionTestUtils.invokeMethod(derived, "getInitialUris");
                    assertThat(StreamSupport.stream(uris.spliterator(), false))
                            .extracting(RedisURI::getPort, RedisURI::getClientName)
                            .containsExactly(
                                    tuple(1, "stoplight"), tuple(2, "stoplight"));
                    assertThat(context.getBean(BreakerStore.class).status().up()).isFalse();
                });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void anApplicationThatStopsWhileItLooksForRedisStopsQuietly(CapturedOutput output) {
        for (int i = 0; i < 5; i++) {
            runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:1,127.0.0.1:2", "stoplight.redis.heartbeat=1ms")
                    .run(context -> assertThat(context).hasNotFailed());
        }

        assertThat(output).doesNotContain("RejectedExecutionException", "cannot be started once stopped", "not accepting a task");
    }

    @Test
    void aStaticListOfMastersAndReplicasIsRefused() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("A static list of Redis masters and replicas (spring.data.redis.masterreplica) cannot hold breakers"));
    }

    private static RedisURI uri(AbstractRedisClient client) {
        assertThat(client).isInstanceOf(RedisClient.class);
        return (RedisURI) ReflectionTestUtils.getField(client, "redisURI");
    }

    private interface Check {
        void on(AbstractRedisClient client);
    }

    private static void withClient(LettuceConnectionFactory application, Check check) {
        StoplightRedisClient client = new StoplightRedisClient(application, List.of());
        try {
            check.on(client.nativeClient());
        } finally {
            client.destroy();
        }
    }
}
