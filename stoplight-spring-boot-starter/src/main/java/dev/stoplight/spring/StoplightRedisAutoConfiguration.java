package dev.stoplight.spring;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.store.BreakerStore;
import io.lettuce.core.AbstractRedisClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Keeps the lights in Redis, on a connection of their own to the server that the application uses. */
@AutoConfiguration(after = DataRedisAutoConfiguration.class, before = StoplightAutoConfiguration.class)
@ConditionalOnClass({AbstractRedisClient.class, LettuceConnectionFactory.class})
@ConditionalOnBean(LettuceConnectionFactory.class)
@ConditionalOnMissingBean({BreakerStore.class, BreakerRegistry.class})
@ConditionalOnBooleanProperty(name = "stoplight.enabled", matchIfMissing = true)
@Conditional(StoplightRedisAutoConfiguration.NotInMemory.class)
@EnableConfigurationProperties(StoplightProperties.class)
public final class StoplightRedisAutoConfiguration {

    @Bean
    StoplightRedisClient stoplightRedisClient(
            LettuceConnectionFactory application,
            ObjectProvider<ClientResourcesBuilderCustomizer> customizers,
            ObjectProvider<DataRedisConnectionDetails> details) {
        DataRedisConnectionDetails server = details.getIfUnique();
        if (server != null && server.getMasterReplica() != null) {
            throw new InvalidConfigurationException(
                    "A static list of Redis masters and replicas (spring.data.redis.masterreplica) cannot hold breakers",
                    "Use Sentinel or Cluster, define a BreakerStore bean, or set stoplight.store to memory.",
                    null);
        }
        return new StoplightRedisClient(application, customizers.orderedStream().toList());
    }

    @Bean(destroyMethod = "close")
    RedisBreakerStore redisBreakerStore(StoplightRedisClient client, StoplightProperties properties) {
        return RedisBreakerStore.builder(client.nativeClient())
                .keyPrefix(properties.keyPrefix())
                .timeout(properties.redis().timeout())
                .heartbeat(properties.redis().heartbeat())
                .connect();
    }

    static final class NotInMemory extends NoneNestedConditions {

        NotInMemory() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = "stoplight.store", havingValue = "memory")
        static class InMemory {}
    }
}
