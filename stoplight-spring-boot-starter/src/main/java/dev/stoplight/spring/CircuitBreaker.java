package dev.stoplight.spring;

import dev.stoplight.BreakerMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Protects a method with a circuit breaker that every instance of the service shares.
 *
 * <pre>{@code
 * @CircuitBreaker(threshold = 5, window = "30s", fallback = "cachedQuote")
 * Quote quote(String symbol) { ... }
 *
 * private Quote cachedQuote(String symbol, Exception cause) { ... }
 * }</pre>
 *
 * <p>On a type it holds for the type's public methods; a method's own annotation replaces it. It is found on interfaces and
 * may be used as a meta-annotation. What is not given here comes from {@code stoplight.defaults.*}, and
 * {@code stoplight.breakers.<name>.*} overrides what is given here.
 *
 * <p>The method may return a plain value, nothing, a {@code CompletionStage}, a {@code CompletableFuture}, a {@code Mono}, a
 * {@code Flux} or another reactive type that Spring knows. The asynchronous ones are recorded when they complete; a rejection
 * arrives through them; a cancelled call counts as neither success nor failure. A reactive method runs anew, with leave of the
 * breaker, on each subscription.
 *
 * <p>Calls are intercepted by a proxy. So a call from within the same object ({@code this.quote(...)}) and a private method are
 * not protected. A final or static method cannot be protected at all and stops the application at start-up, as does every other
 * mistake in this annotation.
 *
 * <p>By default the breaker is outside retries, transactions and caches and inside method security and validation: a call that
 * succeeds at the third attempt is one success, a red light spares all attempts and opens no transaction, and a caller who may
 * not call, or calls with invalid arguments, cannot open the breaker for the others. {@code stoplight.order} changes that.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface CircuitBreaker {

    /** The value of {@link #threshold} that stands for none. */
    int UNSET = Integer.MIN_VALUE;

    /** Alias of {@link #name}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The breaker's name, by default {@code SimpleClassName.methodName}. Placeholders are resolved. Methods with the same name
     * share one breaker.
     */
    @AliasFor("value")
    String name() default "";

    /**
     * A SpEL expression over the arguments, such as {@code #clientId}: one breaker per value, all with this name's settings.
     *
     * <p>{@code #p0} and {@code #a0} are the first argument, {@code #root.method}, {@code #root.args} and {@code #root.target}
     * the call, {@code @bean} a bean. A call whose key is null or empty uses the breaker of the name itself.
     */
    String key() default "";

    /** How many failures open the breaker. */
    int threshold() default UNSET;

    /** How long a failure counts: {@code 30s}, {@code 5m}, {@code PT1M} or a placeholder. */
    String window() default "";

    /** How long the breaker stays open: {@code 30s}, {@code 5m}, {@code PT1M} or a placeholder. */
    String coolOff() default "";

    /** How failures are counted; one mode at most. */
    BreakerMode[] mode() default {};

    /**
     * A method of the same bean to be called instead when the breaker rejects the call and when the call fails.
     *
     * <p>It has the same parameters, or the same and an exception, or only an exception; and a return type that fits. It may be
     * private, static or inherited. Of several with that name the one with the closest exception type is called; when none
     * takes the exception, the caller gets it. An exception that does not count as a failure always reaches the caller. What
     * the fallback throws reaches the caller as it is; only a checked exception that the method does not declare arrives in an
     * {@link java.lang.reflect.UndeclaredThrowableException}, as from any proxy.
     */
    String fallback() default "";

    /** Exceptions that count as failures; when none is listed, every {@link Exception} does. */
    Class<? extends Throwable>[] recordExceptions() default {};

    /** Exceptions that count as neither failure nor success; they win over {@link #recordExceptions}. */
    Class<? extends Throwable>[] ignoreExceptions() default {};
}
