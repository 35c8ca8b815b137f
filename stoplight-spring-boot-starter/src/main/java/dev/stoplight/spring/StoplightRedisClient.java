package dev.stoplight.spring;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
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

    private final ClientResources resources;
    private final LettuceConnectionFactory connections;

    StoplightRedisClient(LettuceConnectionFactory application, List<ClientResourcesBuilderCustomizer> customizers) {
        DefaultClientResources.Builder builder =
                DefaultClientResources.builder().ioThreadPoolSize(THREADS).computationThreadPoolSize(THREADS);
        customizers.forEach(customizer -> customizer.customize(builder));
        this.resources = builder.build();
        // Spring Data knows how to make a client of every kind of configuration; it opens no connection by itself.
        this.connections = new LettuceConnectionFactory(server(application), options(application.getClientConfiguration()));
        connections.setEagerInitialization(false);
        connections.start();
    }

    private static RedisConfiguration server(LettuceConnectionFactory application) {
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
