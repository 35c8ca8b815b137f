package dev.stoplight.spring;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** How a breaker guards a method, which depends on what the method returns. */
interface GuardedCall {

    @Nullable Object run(CallPlan plan, MethodInvocation invocation) throws Throwable;

    /** Goes on to the method; whatever it throws passes, as if it were unchecked. */
    static @Nullable Object proceed(MethodInvocation invocation) {
        try {
            return invocation.proceed();
        } catch (Throwable thrown) {
            throw GuardedCall.<RuntimeException>unchecked(thrown);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** The same invocation once more, for a call that is made later or repeatedly. */
    static MethodInvocation again(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }
}
