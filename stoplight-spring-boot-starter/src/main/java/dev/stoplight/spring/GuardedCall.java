package dev.stoplight.spring;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

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

    /** The same for a call that is made later or repeatedly, where nothing is left of the way here: aspects ask which call it is. */
    static @Nullable Object proceedLater(MethodInvocation invocation) {
        MethodInvocation again = invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        try {
            return ExposeInvocationInterceptor.INSTANCE.invoke(again);
        } catch (Throwable thrown) {
            throw GuardedCall.<RuntimeException>unchecked(thrown);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
