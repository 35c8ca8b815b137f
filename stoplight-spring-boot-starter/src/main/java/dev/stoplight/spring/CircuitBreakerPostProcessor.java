package dev.stoplight.spring;

import dev.stoplight.BreakerRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Puts a breaker around each method with a {@link CircuitBreaker}, and stops the application where that cannot work.
 *
 * <p>It runs last, so that it finds the advisors of all others in place, and puts its own where its order says. An auto-proxy
 * creator would not do: what post-processors such as that of {@code @Retryable} add is always outside of what it has put there.
 * The proxy itself is there earlier, from an {@link EarlyProxyPostProcessor}.
 */
final class CircuitBreakerPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor implements SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(CircuitBreakerPostProcessor.class);
    private static final long serialVersionUID = 1L;

    private final transient ObjectProvider<StoplightProperties> properties;
    private final transient ObjectProvider<BreakerSettingsSources> sources;
    private final transient ObjectProvider<BreakerRegistry> registry;
    private final transient Map<List<Class<?>>, Boolean> guarded = new ConcurrentHashMap<>();
    private final transient Map<List<Class<?>>, List<Guard>> guards = new ConcurrentHashMap<>();

    /** Beans that are created from now on are late: their breakers come into use at once. */
    private volatile boolean started;

    /** Everything is looked up when it is needed, so that this post-processor drags no other bean into its early creation. */
    CircuitBreakerPostProcessor(
            ObjectProvider<StoplightProperties> properties,
            ObjectProvider<BreakerSettingsSources> sources,
            ObjectProvider<BreakerRegistry> registry) {
        this.properties = properties;
        this.sources = sources;
        this.registry = registry;
        // Only the prediction of a bean's type uses this one.
        MethodInterceptor none = invocation -> invocation.proceed();
        this.advisor = new DefaultPointcutAdvisor(none);
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return isGuarded(List.of(ClassUtils.getUserClass(targetClass)));
    }

    private boolean isGuarded(List<Class<?>> types) {
        return guarded.computeIfAbsent(types, GuardedMethod::existIn);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Object proxied = proxied(bean, beanName);
        if (proxied instanceof Advised advised && isOpen(advised)) {
            List<Class<?>> types = types(advised);
            if (isGuarded(types)) {
                advise(advised, guards(types, beanName, !Proxy.isProxyClass(proxied.getClass())));
            }
        }
        return proxied;
    }

    /** The bean in a proxy to which guards can be added, when it has any and is no such proxy yet. */
    Object proxied(Object bean, String beanName) {
        boolean done = bean instanceof AopInfrastructureBean || (bean instanceof Advised advised && isOpen(advised));
        return done || !isEligible(bean, beanName) ? bean : proxy(bean, beanName);
    }

    private static boolean isOpen(Advised advised) {
        return !advised.isFrozen() && !(advised instanceof AopInfrastructureBean);
    }

    /** An existing proxy may have interfaces of which the object behind it, if any, knows nothing, such as a repository's. */
    private static List<Class<?>> types(Advised advised) {
        List<Class<?>> types = new ArrayList<>();
        // Behind the proxy may be another.
        Class<?> target = advised.getTargetClass() == null ? null : AopProxyUtils.ultimateTargetClass(advised);
        if (target != null) {
            types.add(ClassUtils.getUserClass(target));
        }
        for (Class<?> proxied : advised.getProxiedInterfaces()) {
            if (target == null || !proxied.isAssignableFrom(target)) {
                types.add(proxied);
            }
        }
        return types;
    }

    /** Puts each before the first advisor of its method that has a higher order; a proxy that is more than one bean has them already. */
    private static void advise(Advised advised, List<Guard> added) {
        for (Guard guard : added) {
            if (has(advised, guard)) {
                continue;
            }
            Advisor[] existing = advised.getAdvisors();
            // Without a target the last advisor is what does the work.
            int last = advised.getTargetClass() == null ? existing.length - 1 : existing.length;
            int position = 0;
            while (position < last && !(order(existing[position]) > guard.getOrder() && concerns(existing[position], guard))) {
                position++;
            }
            advised.addAdvisor(position, guard);
        }
    }

    /** Whether the method has its guard already, in this proxy or in one behind it. */
    private static boolean has(Advised advised, Guard guard) {
        return Arrays.stream(advised.getAdvisors()).anyMatch(guard::guardsTheSame)
                || (AopProxyUtils.getSingletonTarget(advised) instanceof Advised inner && has(inner, guard));
    }

    /** Validation has no order but belongs outside, where security is: what callers do wrong tells nothing of the dependency. */
    private static int order(Advisor advisor) {
        if (advisor.getAdvice().getClass().getName().endsWith(".MethodValidationInterceptor")) {
            return StoplightProperties.DEFAULT_ORDER;
        }
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    private static boolean concerns(Advisor advisor, Guard guard) {
        return !(advisor instanceof PointcutAdvisor other)
                || other.getPointcut().getMethodMatcher().matches(guard.method.method(), guard.method.beanClass());
    }

    private int order() {
        return properties.getObject().order();
    }

    private Object proxy(Object bean, String beanName) {
        Class<?> type = bean.getClass();
        ProxyFactory factory = prepareProxyFactory(bean, beanName);
        if (!factory.isProxyTargetClass() && factory.getProxiedInterfaces().length == 0) {
            evaluateProxyInterfaces(type, factory);
        }
        boolean subclass = (factory.isProxyTargetClass() || factory.getProxiedInterfaces().length == 0)
                && !Proxy.isProxyClass(type)
                && !ClassUtils.isLambdaClass(type);
        // What is wrong is said before the proxy fails on it.
        guards(List.of(ClassUtils.getUserClass(type)), beanName, subclass);
        customizeProxyFactory(factory);
        factory.setFrozen(false);
        factory.setOpaque(false);
        factory.setPreFiltered(true);
        return factory.getProxy(getProxyClassLoader());
    }

    /** Kept by type: another bean of it, or another instance of a prototype, needs no new ones. */
    private List<Guard> guards(List<Class<?>> types, String beanName, boolean subclass) {
        List<Guard> known = guards.get(types);
        if (known == null) {
            CallPlans plans = new CallPlans(Objects.requireNonNull(beanFactory), sources.getObject(), registry);
            int order = order();
            known = GuardedMethod.of(beanName, types).stream()
                    .map(method -> new Guard(method, plans.plan(method), order))
                    .toList();
            guards.put(types, known);
            if (started) {
                known.forEach(guard -> guard.plan.ofName());
            }
        }
        if (subclass) {
            known.forEach(guard -> guard.method.requireOverridable());
        }
        return known;
    }

    /** Brings the breakers into use, so that they are seen before their first call. */
    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        TreeSet<String> unused = new TreeSet<>(properties.getObject().breakers().keySet());
        guards.values().forEach(ofType -> ofType.forEach(guard -> unused.remove(guard.plan.ofName().name())));
        if (!unused.isEmpty()) {
            LOG.debug("No @CircuitBreaker has these names, which are configured under stoplight.breakers: " + unused);
        }
    }

    /** Applies one method's plan to that method alone, so that a call looks nothing up. */
    private static final class Guard extends StaticMethodMatcherPointcutAdvisor {

        private static final long serialVersionUID = 1L;

        private final transient GuardedMethod method;
        private final transient CallPlan plan;

        Guard(GuardedMethod method, CallPlan plan, int order) {
            super(plan);
            this.method = method;
            this.plan = plan;
            setOrder(order);
        }

        boolean guardsTheSame(Advisor other) {
            return other instanceof Guard guard && guard.method.method().equals(method.method());
        }

        @Override
        public boolean matches(Method called, @Nullable Class<?> targetClass) {
            // The class of the bean and not that of the target, which may itself be a proxy.
            return called.equals(method.method()) || AopUtils.getMostSpecificMethod(called, method.beanClass()).equals(method.method());
        }
    }
}
