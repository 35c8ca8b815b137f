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
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.resolver.NoopAddressResolverGroup;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
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
    void aFactoryThatWasMadeOfAnAddressIsTakenOver() {
        RedisConfiguration configuration = LettuceConnectionFactory.createRedisConfiguration("redis://me:secret@redis.example:6380/2");

        withClient(new LettuceConnectionFactory(configuration), derived -> {
            RedisURI uri = uri(derived);
            assertThat(uri.getHost()).isEqualTo("redis.example");
            assertThat(uri.getPort()).isEqualTo(6380);
            assertThat(uri.getDatabase()).isEqualTo(2);
            assertThat(uri.getCredentialsProvider().resolveCredentials().block().getUsername()).isEqualTo("me");
        });
    }

    @Test
    void theServerBehindAProxyWithoutFieldsIsTakenOver() {
        LettuceConnectionFactory application = new LettuceConnectionFactory(new RedisStandaloneConfiguration("redis.example", 6380));
        ProxyFactory proxy = new ProxyFactory();
        proxy.setTargetClass(LettuceConnectionFactory.class);
        proxy.setProxyTargetClass(true);
        proxy.setTargetSource(new HotSwappableTargetSource(application));

        withClient((LettuceConnectionFactory) proxy.getProxy(), derived -> assertThat(uri(derived).getHost()).isEqualTo("redis.example"));
    }

    @Test
    void theApplicationsWayOfFindingAServerIsTakenOver() {
        ClientResources theirs = DefaultClientResources.builder()
                .socketAddressResolver(new SocketAddressResolver() {})
                .addressResolverGroup(NoopAddressResolverGroup.INSTANCE)
                .nettyCustomizer(new NettyCustomizer() {})
                .build();
        LettuceClientConfiguration client = LettuceClientConfiguration.builder().clientResources(theirs).build();

        withClient(new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client), derived -> {
            ClientResources mine = derived.getResources();
            assertThat(mine.socketAddressResolver()).isSameAs(theirs.socketAddressResolver());
            assertThat(mine.addressResolverGroup()).isSameAs(theirs.addressResolverGroup());
            assertThat(mine.nettyCustomizer()).isSameAs(theirs.nettyCustomizer());
        });
        theirs.shutdown(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
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

    @Configuration(proxyBeanMethods = false)
    static class StaticList {

        @Bean
        LettuceConnectionFactory factory() {
            return new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1));
        }
    }

    @Test
    void aStaticListOfMastersAndReplicasThatTheApplicationDefinesIsRefused() {
        runner.withUserConfiguration(StaticList.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith("A static list of Redis masters and replicas"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {

        @Bean
        RedisConnectionFactory factory() {
            return new LettuceConnectionFactory("127.0.0.1", 1);
        }
    }

    @Test
    void aFactoryThatIsDeclaredByItsInterfaceIsUsed() {
        runner.withUserConfiguration(Declared.class).run(context -> assertThat(context).hasSingleBean(RedisBreakerStore.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxied {

        @Bean
        RedisConnectionFactory factory() {
            return (RedisConnectionFactory) new ProxyFactory(new LettuceConnectionFactory("127.0.0.1", 1)).getProxy();
        }
    }

    @Test
    void aFactoryBehindAProxyOfItsInterfacesIsUsed() {
        runner.withUserConfiguration(Proxied.class).run(context -> assertThat(context).hasSingleBean(RedisBreakerStore.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Jedis {

        @Bean
        JedisConnectionFactory jedis() {
            return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1));
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void autoIsMemoryWithAnotherClientThanLettuceAndSaysSo(CapturedOutput output) {
        runner.withUserConfiguration(Jedis.class).run(context -> {
            assertThat(context).hasSingleBean(MemoryBreakerStore.class);
            assertThat(output)
                    .containsOnlyOnce("Breakers are not shared with other instances: that needs a LettuceConnectionFactory, and there is"
                            + " only " + JedisConnectionFactory.class.getName());
        });
    }

    @Test
    void redisWithAnotherClientThanLettuceStopsTheApplication() {
        runner.withUserConfiguration(Jedis.class).withPropertyValues("stoplight.store=redis").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("stoplight.store is redis, but there is no LettuceConnectionFactory, only "
                        + JedisConnectionFactory.class.getName()));
    }

    @Test
    void ofTwoClientsTheLettuceOneIsUsed() {
        runner.withUserConfiguration(Jedis.class, Declared.class)
                .run(context -> assertThat(context).hasSingleBean(RedisBreakerStore.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Second {

        @Bean
        LettuceConnectionFactory second() {
            return new LettuceConnectionFactory("127.0.0.1", 2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Preferred {

        @Bean
        @Primary
        LettuceConnectionFactory third() {
            return new LettuceConnectionFactory("127.0.0.1", 3);
        }
    }

    @Test
    void ofTwoFactoriesNeitherIsGuessed() {
        runner.withUserConfiguration(Declared.class, Second.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(InvalidConfigurationException.class, invalid -> {
                    assertThat(invalid).hasMessage("There are 2 LettuceConnectionFactory beans, and none of them is primary");
                    assertThat(invalid.action()).contains("@Primary", "BreakerStore", "stoplight.store to memory");
                }));
    }

    @Test
    void ofSeveralFactoriesThePrimaryOneIsUsed() {
        runner.withUserConfiguration(Declared.class, Second.class, Preferred.class)
                .run(context -> assertThat(uri(context.getBean(StoplightRedisClient.class).nativeClient()).getPort()).isEqualTo(3));
    }

    private static RedisURI uri(AbstractRedisClient client) {
        assertThat(client).isInstanceOf(RedisClient.class);
        return (RedisURI) ReflectionTestUtils.getField(client, "redisURI");
    }

    private interface Check {
        void on(AbstractRedisClient client);
    }

    private static void withClient(LettuceConnectionFactory application, Check check) {
        StoplightRedisClient client = new StoplightRedisClient(application);
        try {
            check.on(client.nativeClient());
        } finally {
            client.destroy();
        }
    }
}
