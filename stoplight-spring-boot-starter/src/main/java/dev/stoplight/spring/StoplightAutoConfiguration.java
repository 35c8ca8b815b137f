package dev.stoplight.spring;

import dev.stoplight.BreakerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides the {@link BreakerRegistry}. */
@AutoConfiguration
@EnableConfigurationProperties(StoplightProperties.class)
public final class StoplightAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    BreakerSettingsSources breakerSettingsSources(StoplightProperties properties, ObjectProvider<BreakerRegistry> registry) {
        return new BreakerSettingsSources(properties, registry::getObject);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    BreakerRegistry breakerRegistry(StoplightProperties properties, BreakerSettingsSources sources) {
        BreakerRegistry.Builder builder = BreakerRegistry.builder()
                .settings(sources::configured)
                .flushInterval(properties.flushInterval())
                .maxIdle(properties.keyed().maxIdle())
                .maxKeys(properties.keyed().maxSize());
        if (properties.instanceId() != null) {
            builder.instance(properties.instanceId());
        }
        return builder.build();
    }
}
