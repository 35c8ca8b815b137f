package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.CircuitOpenException;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotBlank;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.validation.annotation.Validated;

/** The breaker together with other interceptors on the same method. */
class InterceptorOrderTests {

    static class Service {

        final AtomicInteger attempts = new AtomicInteger();

        @CircuitBreaker(name = "retried", threshold = 2)
        @Retryable(maxRetries = 2, delay = 0)
        public String retried(int failures) {
            if (attempts.incrementAndGet() <= failures) {
                throw new IllegalStateException("attempt " + attempts);
            }
            return "attempt " + attempts;
        }

        @CircuitBreaker(name = "transactional", threshold = 1)
        @Transactional
        public String transactional() {
            throw new IllegalStateException("rolled back");
        }

        @CircuitBreaker(name = "both", threshold = 1)
        @Transactional
        @Retryable(maxRetries = 2, delay = 0)
        public String both() {
            attempts.incrementAndGet();
            throw new IllegalStateException("down");
        }

        @CircuitBreaker(name = "asynchronous", threshold = 1)
        @Async
        public void asynchronous() {
            throw new IllegalStateException("in the background");
        }

        @CircuitBreaker(name = "secured", threshold = 1)
        public String secured() {
            return "allowed";
        }
    }

    static final class Transactions extends AbstractPlatformTransactionManager {

        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger rolledBack = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            rolledBack.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    @EnableTransactionManagement
    @EnableAsync
    static class Everything {

        @Bean
        Transactions transactions() {
            return new Transactions();
        }

        /** As method security does: with an order of its own, before the rest. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor security() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("secured");
            MethodInterceptor deny = invocation -> {
                throw new SecurityException("denied");
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, deny);
            advisor.setOrder(500);
            return advisor;
        }
    }

    private final ApplicationContextRunner runner = Contexts.runner(Everything.class, Service.class);

    @Test
    void aCallThatSucceedsAfterRetriesIsOneSuccess() {
        runner.run(context -> {
            assertThat(context.getBean(Service.class).retried(2)).isEqualTo("attempt 3");

            Breaker breaker = Contexts.breaker(context, "retried");
            assertThat(breaker.calls().succeeded()).isEqualTo(1);
            assertThat(breaker.calls().failed()).isZero();
        });
    }

    @Test
    void aCallThatFailsAfterAllRetriesIsOneFailureAndARedLightSparesEveryAttempt() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Breaker breaker = Contexts.breaker(context, "retried");

            assertThatIllegalStateException().isThrownBy(() -> service.retried(Integer.MAX_VALUE)).withMessage("attempt 3");
            assertThat(breaker.calls().failed()).isEqualTo(1);

            breaker.lock(BreakerLock.OPEN);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> service.retried(0));
            assertThat(breaker.calls().rejected()).isEqualTo(1);
        });
    }

    @Test
    void aRedLightOpensNoTransactionAndAFailureIsRolledBackBeforeItIsRecorded() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Transactions transactions = context.getBean(Transactions.class);

            assertThatIllegalStateException().isThrownBy(service::transactional);
            assertThat(transactions.rolledBack).hasValue(1);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(service::transactional);
            assertThat(transactions.begun).hasValue(1);
        });
    }

    @Test
    void withRetriesAndTransactionsTogetherTheBreakerIsOutermost() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            assertThatIllegalStateException().isThrownBy(service::both);
            assertThat(context.getBean(Transactions.class).begun).hasValue(3);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(service::both);
            assertThat(context.getBean(Transactions.class).begun).hasValue(3);
        });
    }

    @Test
    void anAsynchronousMethodIsRecordedWhereItRuns() {
        runner.run(context -> {
            context.getBean(Service.class).asynchronous();

            await().until(() -> Contexts.breaker(context, "asynchronous").calls().failed() == 1);
        });
    }

    @Test
    void aCallerWhoIsDeniedByMethodSecurityCannotOpenTheBreaker() {
        runner.run(context -> {
            assertThatExceptionOfType(SecurityException.class).isThrownBy(() -> context.getBean(Service.class).secured());

            assertThat(Contexts.breaker(context, "secured").calls().failed()).isZero();
        });
    }

    @Validated
    static class ValidatedService {

        @CircuitBreaker(name = "validated", threshold = 1)
        public String call(@NotBlank String id) {
            return id;
        }
    }

    private final ApplicationContextRunner validating =
            runner.withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class)).withBean(ValidatedService.class);

    @Test
    void aCallerWithInvalidArgumentsCannotOpenTheBreaker() {
        validating.run(context -> {
            ValidatedService service = context.getBean(ValidatedService.class);
            assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> service.call(" "));

            assertThat(service.call("valid")).isEqualTo("valid");
            assertThat(Contexts.breaker(context, "validated").calls().failed()).isZero();
        });
    }

    @Test
    void theOrderCanBeChangedSoThatTheBreakerIsOutsideValidation() {
        validating.withPropertyValues("stoplight.order=100").run(context -> {
            ValidatedService service = context.getBean(ValidatedService.class);
            assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> service.call(" "));

            assertThat(Contexts.breaker(context, "validated").calls().failed()).isEqualTo(1);
        });
    }

    @Test
    void theOrderCanBeChangedSoThatEveryAttemptCountsAndEveryTransactionIsOpened() {
        runner.withPropertyValues("stoplight.order=2147483647").run(context -> {
            Service service = context.getBean(Service.class);

            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(service::both);
            assertThat(Contexts.breaker(context, "both").calls().failed()).isEqualTo(1);
            assertThat(Contexts.breaker(context, "both").calls().rejected()).isEqualTo(2);
            assertThat(context.getBean(Transactions.class).begun).hasValue(3);
        });
    }

    @Test
    void theOrderCanBeChangedSoThatTheBreakerIsOutsideMethodSecurity() {
        runner.withPropertyValues("stoplight.order=100").run(context -> {
            assertThatExceptionOfType(SecurityException.class).isThrownBy(() -> context.getBean(Service.class).secured());

            assertThat(Contexts.breaker(context, "secured").calls().failed()).isEqualTo(1);
        });
    }

    static class MessageListener {

        final AtomicInteger runs = new AtomicInteger();

        @CircuitBreaker(name = "plainMessage", threshold = 2)
        public void plain() {
            runs.incrementAndGet();
            throw new IllegalStateException("poison");
        }

        @CircuitBreaker(name = "retriedMessage", threshold = 1)
        @Retryable(maxRetries = 2, delay = 0)
        public void retried() {
            runs.incrementAndGet();
            throw new IllegalStateException("poison");
        }

        @CircuitBreaker(name = "asynchronousMessage", threshold = 1)
        @Async
        public void asynchronous() {
            throw new IllegalStateException("poison");
        }
    }

    /** As a message listener's post-processor is: it remembers the bean that it is given, and was declared by the application. */
    static class Remembering implements BeanPostProcessor, Ordered {

        final Map<String, Object> beans = new HashMap<>();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            beans.put(beanName, bean);
            return bean;
        }

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Messaging {

        @Bean
        static Remembering remembering() {
            return new Remembering();
        }
    }

    private static MessageListener remembered(ApplicationContext context) {
        return (MessageListener) context.getBean(Remembering.class).beans.get("messageListener");
    }

    @Test
    void whatRemembersAListenerBeforeEverythingElseIsThereCallsItThroughItsBreaker() {
        Contexts.runner(Messaging.class, MessageListener.class).run(context -> {
            MessageListener listener = remembered(context);
            assertThat(listener).isSameAs(context.getBean(MessageListener.class));

            assertThatIllegalStateException().isThrownBy(listener::plain);
            assertThatIllegalStateException().isThrownBy(listener::plain);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(listener::plain);
            assertThat(Contexts.breaker(context, "plainMessage").calls().failed()).isEqualTo(2);
        });
    }

    @Test
    void whereAListenerIsRememberedTheBreakerIsOutsideRetriesAndInsideTheAsynchronousCallAllTheSame() {
        Contexts.runner(Messaging.class, Everything.class, MessageListener.class).run(context -> {
            MessageListener listener = remembered(context);

            assertThatIllegalStateException().isThrownBy(listener::retried);
            assertThat(Contexts.breaker(context, "retriedMessage").calls().failed()).isEqualTo(1);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(listener::retried);

            listener.asynchronous();
            await().until(() -> Contexts.breaker(context, "asynchronousMessage").calls().failed() == 1);
        });
    }

    @Test
    void whereAListenerIsRememberedARedLightOpensNoTransactionAllTheSame() {
        Contexts.runner(Messaging.class, Everything.class, Service.class).run(context -> {
            Service service = (Service) context.getBean(Remembering.class).beans.get("service");

            assertThatIllegalStateException().isThrownBy(service::both);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(service::both);
            assertThat(context.getBean(Transactions.class).begun).hasValue(3);
        });
    }
}
