package dev.stoplight.spring;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A client for the same Redis as the application's, with threads and connections of its own: breakers need answers when the
 * application's connection is busy, and options that would not suit the application.
 */
final class StoplightRedisClient implements DisposableBean {

    private static final String CLIENT_NAME = "stoplight";

    /** For connecting; no call ever waits for so long. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int THREADS = 2;

    /** A private field of the factory, which {@link StoplightRuntimeHints} keeps. */
    static final String CONFIGURATION = "configuration";

    private final ClientResources resources;
    private final LettuceConnectionFactory connections;

    StoplightRedisClient(LettuceConnectionFactory application) {
        this.resources = resources(application.getClientConfiguration());
        // Spring Data knows how to make a client of every kind of configuration; it opens no connection by itself.
        this.connections = new LettuceConnectionFactory(server(application), options(application.getClientConfiguration()));
        connections.setEagerInitialization(false);
        connections.start();
    }

    /** Threads of its own, but the application's ways of finding and reaching a server. */
    private static ClientResources resources(LettuceClientConfiguration application) {
        DefaultClientResources.Builder builder =
                DefaultClientResources.builder().ioThreadPoolSize(THREADS).computationThreadPoolSize(THREADS);
        application.getClientResources().ifPresent(theirs -> builder
                .addressResolverGroup(theirs.addressResolverGroup())
                .nettyCustomizer(theirs.nettyCustomizer())
                .socketAddressResolver(theirs.socketAddressResolver()));
        return builder.build();
    }

    /** No getter tells the configuration of a factory that was made of any {@link RedisConfiguration}; the field always does. */
    private static RedisConfiguration server(LettuceConnectionFactory application) {
        DirectFieldAccessor fields = new DirectFieldAccessor(application);
        if (fields.isReadableProperty(CONFIGURATION) && fields.getPropertyValue(CONFIGURATION) instanceof RedisConfiguration known) {
            if (RedisConfiguration.isStaticMasterReplicaConfiguration(known)) {
                throw new InvalidConfigurationException(
                        "A static list of Redis masters and replicas (spring.data.redis.masterreplica) cannot hold breakers",
                        "Use Sentinel or Cluster, define a BreakerStore bean, or set stoplight.store to memory.",
                        null);
            }
            return known;
        }
        return byGetters(application);
    }

    /** For a proxy without fields of its own. */
    private static RedisConfiguration byGetters(LettuceConnectionFactory application) {
        if (application.getClusterConfiguration() != null) {
            return application.getClusterConfiguration();
        }
        if (application.getSentinelConfiguration() != null) {
            return application.getSentinelConfiguration();
        }
        return application.getSocketConfiguration() != null
                ? application.getSocketConfiguration()
                : application.getStandaloneConfiguration();
    }

    private LettuceClientConfiguration options(LettuceClientConfiguration application) {
        LettuceClientConfigurationBuilder options = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientName(CLIENT_NAME)
                .commandTimeout(PATIENCE);
        application.getClientOptions().ifPresent(options::clientOptions);
        application.getRedisCredentialsProviderFactory().ifPresent(options::redisCredentialsProviderFactory);
        if (application.isUseSsl()) {
            LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl =
                    options.useSsl().verifyPeer(application.getVerifyMode());
            if (application.isStartTls()) {
                ssl.startTls();
            }
        }
        return options.build();
    }

    AbstractRedisClient nativeClient() {
        return connections.getRequiredNativeClient();
    }

    @Override
    public void destroy() {
        connections.destroy();
        resources.shutdown(0, PATIENCE.toMillis(), TimeUnit.MILLISECONDS).syncUninterruptibly();
    }
}
