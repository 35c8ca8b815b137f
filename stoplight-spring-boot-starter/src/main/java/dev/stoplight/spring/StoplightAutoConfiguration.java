package dev.stoplight.spring;

import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.MemoryBreakerStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Provides the {@link BreakerRegistry} and lets {@link CircuitBreaker} work, after whatever else adds interceptors to methods. */
@AutoConfiguration(afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@EnableConfigurationProperties(StoplightProperties.class)
public final class StoplightAutoConfiguration {

    @Bean
    BreakerSettingsSources breakerSettingsSources(
            StoplightProperties properties, Environment environment, ObjectProvider<BreakerRegistry> registry) {
        return new BreakerSettingsSources(properties, environment, registry::getObject);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnBooleanProperty(name = "stoplight.enabled", matchIfMissing = true)
    static CircuitBreakerPostProcessor circuitBreakerPostProcessor(
            ObjectProvider<StoplightProperties> properties,
            ObjectProvider<BreakerSettingsSources> sources,
            ObjectProvider<BreakerRegistry> registry) {
        return new CircuitBreakerPostProcessor(properties, sources, registry);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnBooleanProperty(name = "stoplight.enabled", matchIfMissing = true)
    static EarlyProxyPostProcessor earlyProxyPostProcessor(CircuitBreakerPostProcessor last) {
        return new EarlyProxyPostProcessor(last);
    }

    /** Backs off as a whole when the application brings a registry of its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(BreakerRegistry.class)
    static class RegistryConfiguration {

        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        BreakerStore breakerStore(StoplightProperties properties) {
            if (properties.store() == StoplightProperties.Store.REDIS && properties.enabled()) {
                throw new InvalidConfigurationException(
                        "stoplight.store is redis, but there is no LettuceConnectionFactory",
                        "Configure spring.data.redis.* with Lettuce as the client, define a BreakerStore bean, or set stoplight.store to"
                                + " auto or memory.",
                        null);
            }
            return new MemoryBreakerStore();
        }

        @Bean
        SpringListener stoplightListener(ConfigurableApplicationContext context, ObjectProvider<BreakerListener> listeners) {
            return new SpringListener(context, listeners);
        }

        @Bean(destroyMethod = "close")
        BreakerRegistry breakerRegistry(
                StoplightProperties properties,
                BreakerSettingsSources sources,
                BreakerStore store,
                SpringListener listener,
                ObjectProvider<BreakerCustomizer> customizers) {
            BreakerRegistry.Builder builder = BreakerRegistry.builder()
                    .store(store)
                    .settings(sources::configured)
                    .listener(listener)
                    .flushInterval(properties.flushInterval())
                    .maxIdle(properties.keyed().maxIdle())
                    .maxKeys(properties.keyed().maxSize());
            if (properties.instanceId() != null) {
                builder.instance(properties.instanceId());
            }
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder.build();
        }
    }
}
