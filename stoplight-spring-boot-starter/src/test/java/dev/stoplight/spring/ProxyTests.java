package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.CircuitOpenException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;

/** Which methods are protected, and through which proxies. */
class ProxyTests {

    @CircuitBreaker(threshold = 7, fallback = "spare")
    static class Typed {

        public String one() {
            throw new IllegalStateException();
        }

        @CircuitBreaker(threshold = 9)
        public String ofItsOwn() {
            throw new IllegalStateException();
        }

        public String spare() {
            return "spare";
        }

        String notPublic() {
            throw new IllegalStateException("not public");
        }
    }

    static class TypedChild extends Typed {

        public String two() {
            throw new IllegalStateException();
        }
    }

    @Test
    void onATypeTheAnnotationHoldsForItsPublicMethodsButNotForTheFallback() {
        Contexts.runner(Typed.class).run(context -> {
            Typed typed = context.getBean(Typed.class);

            assertThat(names(context)).containsExactly("Typed.ofItsOwn", "Typed.one");
            assertThat(typed.one()).isEqualTo("spare");
            assertThatIllegalStateException().isThrownBy(typed::notPublic).withMessage("not public");
            assertThat(Contexts.breaker(context, "Typed.one").settings().threshold()).isEqualTo(7);
        });
    }

    @Test
    void aMethodsOwnAnnotationReplacesThatOfItsType() {
        Contexts.runner(Typed.class).run(context -> {
            assertThat(Contexts.breaker(context, "Typed.ofItsOwn").settings().threshold()).isEqualTo(9);
            assertThatIllegalStateException().isThrownBy(() -> context.getBean(Typed.class).ofItsOwn());
        });
    }

    @Test
    void aSubclassInheritsTheAnnotationOfItsSuperclass() {
        Contexts.runner(TypedChild.class)
                .run(context -> assertThat(names(context)).containsExactly("TypedChild.ofItsOwn", "TypedChild.one", "TypedChild.two"));
    }

    @CircuitBreaker
    abstract static class WithFinalMethod {
        public final String inheritedFinal() {
            return "final";
        }
    }

    @CircuitBreaker
    static class InheritsFinalMethod extends WithFinalMethod {
        public String own() {
            return "own";
        }
    }

    @Test
    void aFinalMethodThatATypeOnlyInheritsIsLeftAlone() {
        Contexts.runner(InheritsFinalMethod.class)
                .run(context -> assertThat(names(context)).containsExactly("InheritsFinalMethod.own"));
    }

    @CircuitBreaker
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Guarded {

        @AliasFor(annotation = CircuitBreaker.class, attribute = "name")
        String dependency();

        @AliasFor(annotation = CircuitBreaker.class, attribute = "threshold")
        int limit() default 11;
    }

    static class Meta {

        @Guarded(dependency = "stock")
        public void byDefault() {}

        @Guarded(dependency = "prices", limit = 12)
        public void byAlias() {}
    }

    @Test
    void theAnnotationMayBeAMetaAnnotationWithAliases() {
        Contexts.runner(Meta.class).run(context -> {
            assertThat(Contexts.breaker(context, "stock").settings().threshold()).isEqualTo(11);
            assertThat(Contexts.breaker(context, "prices").settings().threshold()).isEqualTo(12);
        });
    }

    interface Api {
        @CircuitBreaker
        String annotatedMethod();

        String plainMethod();
    }

    @CircuitBreaker
    interface AnnotatedApi {
        String first(String argument);
    }

    static class Implementation implements Api, AnnotatedApi {
        @Override
        public String annotatedMethod() {
            return "annotated";
        }

        @Override
        public String plainMethod() {
            return "plain";
        }

        @Override
        public String first(String argument) {
            return argument;
        }

        public String notOfTheInterface() {
            return "other";
        }
    }

    @Test
    void theAnnotationIsFoundOnInterfacesAndOnTheirMethods() {
        Contexts.runner(Implementation.class)
                .run(context -> assertThat(names(context)).containsExactly("Implementation.annotatedMethod", "Implementation.first"));
    }

    @Test
    void interfaceProxiesProtectTheSameMethods() {
        Contexts.runner(Implementation.class).withPropertyValues("spring.aop.proxy-target-class=false").run(context -> {
            Api api = context.getBean(Api.class);
            Contexts.breaker(context, "Implementation.annotatedMethod").lock(BreakerLock.OPEN);

            assertThat(AopUtils.isJdkDynamicProxy(api)).isTrue();
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(api::annotatedMethod);
            assertThat(api.plainMethod()).isEqualTo("plain");
        });
    }

    static final class FinalImplementation implements Api {
        @Override
        public String annotatedMethod() {
            return "annotated";
        }

        @Override
        public String plainMethod() {
            return "plain";
        }
    }

    @Test
    void aFinalClassIsNoProblemForAnInterfaceProxy() {
        Contexts.runner(FinalImplementation.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> assertThat(context.getBean(Api.class).annotatedMethod()).isEqualTo("annotated"));
    }

    interface Generic<T> {
        T convert(T value);
    }

    static class GenericImplementation implements Generic<String> {
        @Override
        @CircuitBreaker
        public String convert(String value) {
            return value;
        }
    }

    @Test
    void aMethodThatIsCalledThroughAGenericInterfaceIsProtectedOnce() {
        Contexts.runner(GenericImplementation.class).run(context -> {
            @SuppressWarnings("unchecked")
            Generic<String> generic = context.getBean(Generic.class);
            generic.convert("a");

            assertThat(Contexts.breaker(context, "GenericImplementation.convert").calls().succeeded()).isEqualTo(1);
        });
    }

    /** A client interface that only a proxy implements, as HTTP clients and repositories are made. */
    interface Remote {
        @CircuitBreaker(fallback = "spare")
        String fetch(String id);

        String other();

        default String spare(String id, Exception cause) {
            return "spare " + id;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiedInterfaces {

        @Bean
        FactoryBean<Remote> springProxy() {
            return new FactoryBean<>() {
                @Override
                public Remote getObject() {
                    return ProxyFactory.getProxy(Remote.class, (MethodInterceptor) invocation -> {
                        if (invocation.getMethod().isDefault()) {
                            return InvocationHandler.invokeDefault(
                                    ((ProxyMethodInvocation) invocation).getProxy(),
                                    invocation.getMethod(),
                                    invocation.getArguments());
                        }
                        throw new IllegalStateException("no remote");
                    });
                }

                @Override
                public Class<?> getObjectType() {
                    return Remote.class;
                }
            };
        }

        @Bean
        Remote plainProxy() {
            return (Remote) Proxy.newProxyInstance(Remote.class.getClassLoader(), new Class<?>[] {Remote.class}, (proxy, method, args) -> {
                if (method.isDefault()) {
                    return InvocationHandler.invokeDefault(proxy, method, args);
                }
                return "remote " + args[0];
            });
        }
    }

    @Test
    void clientsThatAreOnlyInterfacesAreProtectedAndMayHaveADefaultMethodAsFallback() {
        Contexts.runner(ProxiedInterfaces.class).run(context -> {
            Breaker breaker = Contexts.breaker(context, "Remote.fetch");
            assertThat(context.getBean("springProxy", Remote.class).fetch("a")).isEqualTo("spare a");
            assertThat(breaker.calls().failed()).isEqualTo(1);
            assertThat(context.getBean("plainProxy", Remote.class).fetch("b")).isEqualTo("remote b");
            assertThat(breaker.calls().succeeded()).isEqualTo(1);

            breaker.lock(BreakerLock.OPEN);
            assertThat(context.getBean("plainProxy", Remote.class).fetch("b")).isEqualTo("spare b");
        });
    }

    static class Service {
        @CircuitBreaker(name = "service")
        public String call() {
            return "called";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scopes {

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Service prototype() {
            return new Service();
        }

        @Bean
        @Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
        Service scoped() {
            return new Service();
        }
    }

    @Test
    void instancesOfAPrototypeShareOneProxyClassAndOneBreaker() {
        Contexts.runner(Scopes.class).run(context -> {
            Set<Class<?>> classes = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                Service service = context.getBean("prototype", Service.class);
                service.call();
                classes.add(service.getClass());
            }

            assertThat(classes).hasSize(1);
            assertThat(Contexts.breaker(context, "service").calls().succeeded()).isEqualTo(50);
        });
    }

    @Test
    void aScopedProxyIsProtectedOnce() {
        Contexts.runner(Scopes.class).run(context -> {
            context.getBean("scoped", Service.class).call();

            assertThat(Contexts.breaker(context, "service").calls().succeeded()).isEqualTo(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBeans {

        @Bean
        @Lazy
        Service lazyService() {
            return new Service();
        }
    }

    @Test
    void theBreakerOfALazyBeanComesIntoUseWithTheBean() {
        Contexts.runner(LazyBeans.class).run(context -> {
            assertThat(context.getBean(BreakerRegistry.class).find("service")).isEmpty();
            context.getBean(Service.class);
            assertThat(context.getBean(BreakerRegistry.class).find("service")).isPresent();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LateAnnotation {

        @Bean
        @Lazy
        LateService lateService() {
            return new LateService();
        }
    }

    static class LateService {
        @CircuitBreaker(name = "late", threshold = 7)
        public void call() {}
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void anAnnotationThatComesTooLateForItsBreakerIsWarnedOf(CapturedOutput output) {
        Contexts.runner(LateAnnotation.class).run(context -> {
            context.getBean(BreakerRegistry.class).breaker("late");
            context.getBean(LateService.class);

            assertThat(output)
                    .contains("Breaker 'late' was in use before the bean with its @CircuitBreaker was created, so these settings of the"
                            + " annotation are not used: [threshold=7]");
        });
    }

    static class Notifier implements BreakerListener {

        private final Service service;
        private final BreakerRegistry registry;
        private final Set<BreakerEvent> heard = ConcurrentHashMap.newKeySet();

        Notifier(Service service, BreakerRegistry registry) {
            this.service = service;
            this.registry = registry;
        }

        @Override
        public void onEvent(BreakerEvent event) {
            heard.add(event);
        }
    }

    @Test
    void aListenerMayDependOnAProtectedBeanAndOnTheRegistry() {
        Contexts.runner(Service.class).withBean(Notifier.class).run(context -> {
            Notifier notifier = context.getBean(Notifier.class);

            assertThat(notifier.service.call()).isEqualTo("called");
            assertThat(notifier.registry.find("service")).isPresent();
            await().until(() -> notifier.heard.contains(new BreakerEvent.Created("service")));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class SeveralNames {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Service alias(@Qualifier("service") Service service) {
            return service;
        }

        @Bean
        ProxyFactoryBean ofAFactory() {
            ProxyFactoryBean factory = new ProxyFactoryBean();
            factory.setTarget(new Service());
            factory.setProxyTargetClass(true);
            return factory;
        }
    }

    @Test
    void aProxyThatIsMoreThanOneBeanIsProtectedOnce() {
        Contexts.runner(SeveralNames.class).run(context -> {
            Breaker breaker = Contexts.breaker(context, "service");
            context.getBean("alias", Service.class).call();
            assertThat(breaker.calls().succeeded()).isEqualTo(1);

            context.getBean("ofAFactory", Service.class).call();
            assertThat(breaker.calls().succeeded()).isEqualTo(2);
        });
    }

    static class PricesOfClass implements Prices {
        @Override
        @CircuitBreaker(name = "prices")
        public String price() {
            return "price";
        }
    }

    interface Prices {
        String price();
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiesOfProxies {

        /** As late as can be, and it puts a proxy around whatever it is given. */
        @Bean
        static DefaultAdvisorAutoProxyCreator autoProxyCreator() {
            return new DefaultAdvisorAutoProxyCreator();
        }

        @Bean
        static Advisor advisor() {
            MethodInterceptor none = invocation -> invocation.proceed();
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("price");
            return new DefaultPointcutAdvisor(pointcut, none);
        }

        @Bean
        Prices target() {
            return new PricesOfClass();
        }

        @Bean
        Prices decorated(@Qualifier("target") Prices target) {
            return (Prices) new ProxyFactory(target).getProxy();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProxyAroundAProxyIsProtectedOnce(boolean subclasses) {
        Contexts.runner(ProxiesOfProxies.class).withPropertyValues("spring.aop.proxy-target-class=" + subclasses).run(context -> {
            context.getBean("target", Prices.class).price();
            assertThat(Contexts.breaker(context, "prices").calls().succeeded()).isEqualTo(1);

            context.getBean("decorated", Prices.class).price();
            assertThat(Contexts.breaker(context, "prices").calls().succeeded()).isEqualTo(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Lambdas {

        @Bean
        AnnotatedApi lambda() {
            return argument -> "lambda " + argument;
        }
    }

    @Test
    void aLambdaIsProtectedUnderTheNameOfItsInterface() {
        Contexts.runner(Lambdas.class).run(context -> {
            AnnotatedApi lambda = context.getBean(AnnotatedApi.class);

            assertThat(lambda.first("a")).isEqualTo("lambda a");
            assertThat(Contexts.breaker(context, "AnnotatedApi.first").calls().succeeded()).isEqualTo(1);
        });
    }

    @CircuitBreaker
    interface GenericApi<T> {
        String load(T id);
    }

    static class GenericBase<T> implements GenericApi<T> {
        @Override
        public String load(T id) {
            return "loaded";
        }
    }

    static class LoadsStrings implements GenericApi<String> {
        @Override
        public String load(String id) {
            return "loaded";
        }
    }

    static class LoadsNumbers extends GenericBase<Long> {}

    @Test
    void anAnnotationOnAGenericInterfaceHoldsForMethodsWithGenericParameters() {
        Contexts.runner(LoadsStrings.class, LoadsNumbers.class)
                .run(context -> assertThat(names(context)).containsExactly("LoadsNumbers.load", "LoadsStrings.load"));
    }

    @CircuitBreaker
    static class Described {

        public void call() {}

        @Override
        public String toString() {
            return "described";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Described;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void onATypeTheAnnotationLeavesAloneWhatEveryObjectHas() {
        Contexts.runner(Described.class).run(context -> assertThat(names(context)).containsExactly("Described.call"));
    }

    private static Set<String> names(AssertableApplicationContext context) {
        return context.getBean(BreakerRegistry.class).breakers().map(Breaker::name).collect(Collectors.toCollection(TreeSet::new));
    }
}
