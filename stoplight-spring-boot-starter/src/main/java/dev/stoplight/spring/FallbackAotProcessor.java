package dev.stoplight.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/** Keeps the fallbacks of a bean in a native image; only their names refer to them. */
final class FallbackAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        List<Class<?>> types = List.of(ClassUtils.getUserClass(bean.getBeanClass()));
        if (!GuardedMethod.existIn(types)) {
            return null;
        }
        List<Method> fallbacks = GuardedMethod.of(bean.getBeanName(), types).stream()
                .filter(guarded -> !guarded.annotation().getString("fallback").isBlank())
                .flatMap(guarded -> Fallbacks.methods(guarded.annotation().getString("fallback"), guarded).stream())
                .toList();
        return (context, code) ->
                fallbacks.forEach(fallback -> context.getRuntimeHints().reflection().registerMethod(fallback, ExecutableMode.INVOKE));
    }
}
