package dev.stoplight.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;

/**
 * Lets a bean have the proxy for its {@link CircuitBreaker}s before any post-processor at the lowest precedence sees it.
 *
 * <p>Those of message listeners are there and remember what they are given: without the proxy they would call the method past its
 * breaker. The breakers come into the proxy when {@link CircuitBreakerPostProcessor} knows their place in it.
 */
final class EarlyProxyPostProcessor implements BeanPostProcessor, Ordered {

    private final CircuitBreakerPostProcessor last;

    EarlyProxyPostProcessor(CircuitBreakerPostProcessor last) {
        this.last = last;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return last.proxied(bean, beanName);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE - 1;
    }
}
