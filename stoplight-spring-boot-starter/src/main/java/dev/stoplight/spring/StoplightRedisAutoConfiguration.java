package dev.stoplight.spring;

import dev.stoplight.BreakerRegistry;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import io.lettuce.core.AbstractRedisClient;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Keeps the lights in Redis, on a connection of their own to the server that the application uses. */
@AutoConfiguration(
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
        before = StoplightAutoConfiguration.class)
@ConditionalOnClass({AbstractRedisClient.class, LettuceConnectionFactory.class})
@ConditionalOnBean(RedisConnectionFactory.class)
@ConditionalOnMissingBean({BreakerStore.class, BreakerRegistry.class})
@ConditionalOnBooleanProperty(name = "stoplight.enabled", matchIfMissing = true)
@Conditional(StoplightRedisAutoConfiguration.NotInMemory.class)
@EnableConfigurationProperties(StoplightProperties.class)
public final class StoplightRedisAutoConfiguration {

    private static final Log LOG = LogFactory.getLog(StoplightRedisAutoConfiguration.class);

    /** Null when the application does not use Lettuce, which only the factories themselves tell: they may be declared by interface. */
    @Bean
    @Nullable StoplightRedisClient stoplightRedisClient(ObjectProvider<RedisConnectionFactory> factories, StoplightProperties properties) {
        if (target(factories.getIfUnique()) instanceof LettuceConnectionFactory application) {
            return new StoplightRedisClient(application);
        }
        List<Object> all = factories.stream().<Object>map(StoplightRedisAutoConfiguration::target).toList();
        List<Object> lettuce = all.stream().filter(LettuceConnectionFactory.class::isInstance).toList();
        if (lettuce.size() > 1) {
            throw new InvalidConfigurationException(
                    "There are " + lettuce.size() + " LettuceConnectionFactory beans, and none of them is primary",
                    "Mark the one for breakers with @Primary, define a BreakerStore bean, or set stoplight.store to memory.",
                    null);
        }
        if (lettuce.size() == 1) {
            return new StoplightRedisClient((LettuceConnectionFactory) lettuce.get(0));
        }
        String classes = String.join(", ", all.stream().map(factory -> factory.getClass().getName()).toList());
        if (properties.store() == StoplightProperties.Store.REDIS) {
            throw new InvalidConfigurationException(
                    "stoplight.store is redis, but there is no LettuceConnectionFactory, only " + classes,
                    "Use Lettuce as the client, define a BreakerStore bean, or set stoplight.store to auto or memory.",
                    null);
        }
        LOG.warn("Breakers are not shared with other instances: that needs a LettuceConnectionFactory, and there is only " + classes
                + ". Set stoplight.store to memory if that is meant.");
        return null;
    }

    private static @Nullable Object target(@Nullable Object factory) {
        Object target = factory == null ? null : AopProxyUtils.getSingletonTarget(factory);
        return target == null ? factory : target;
    }

    @Bean(destroyMethod = "close")
    BreakerStore breakerStore(@Nullable StoplightRedisClient client, StoplightProperties properties) {
        return client == null
                ? new MemoryBreakerStore()
                : RedisBreakerStore.builder(client.nativeClient())
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
