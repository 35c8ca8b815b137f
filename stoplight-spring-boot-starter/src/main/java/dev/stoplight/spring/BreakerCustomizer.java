package dev.stoplight.spring;

import dev.stoplight.BreakerRegistry;

/** A bean that changes how the {@link BreakerRegistry} is built, after the properties were applied and before it is built. */
@FunctionalInterface
public interface BreakerCustomizer {

    void customize(BreakerRegistry.Builder builder);
}
