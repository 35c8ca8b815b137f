package dev.stoplight.spring;

import dev.stoplight.Breaker;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Guards a method that is done when it returns. */
final class PlainCall implements GuardedCall {

    @Override
    public @Nullable Object run(CallPlan plan, MethodInvocation invocation) throws Throwable {
        Breaker breaker = plan.breaker(invocation);
        try {
            return breaker.call(() -> GuardedCall.proceed(invocation));
        } catch (Throwable thrown) {
            Fallbacks.Fallback fallback = plan.fallback(breaker, thrown);
            if (fallback == null) {
                throw thrown;
            }
            return fallback.call(invocation, thrown);
        }
    }
}
