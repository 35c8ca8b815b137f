package dev.stoplight.spring;

import static java.lang.invoke.MethodType.methodType;

import dev.stoplight.Breaker;
import dev.stoplight.CircuitOpenException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The methods that {@link CircuitBreaker#fallback} names, the one with the most special exception first. */
final class Fallbacks {

    private final List<Fallback> byDistance;

    private Fallbacks(List<Fallback> byDistance) {
        this.byDistance = byDistance;
    }

    /** Finds them, or says why that cannot be. */
    static Fallbacks resolve(String name, GuardedMethod guarded) {
        List<Method> named = named(name, guarded);
        List<Fallback> found = new ArrayList<>();
        for (Method method : named) {
            Fallback fallback = Fallback.of(method, guarded);
            if (fallback != null) {
                found.add(fallback);
            }
        }
        if (found.isEmpty()) {
            throw missing(name, guarded, named);
        }
        requireFittingResults(found, guarded);
        found.sort(Comparator.comparingInt(Fallback::depth).reversed());
        requireUnambiguous(name, found, guarded);
        return new Fallbacks(List.copyOf(found));
    }

    /** The methods themselves, for ahead-of-time processing. */
    static List<Method> methods(String name, GuardedMethod guarded) {
        return resolve(name, guarded).byDistance.stream().map(Fallback::method).toList();
    }

    /** The methods of that name that the bean has; one that is overridden does not count. */
    private static List<Method> named(String name, GuardedMethod guarded) {
        Set<Class<?>> owners = new LinkedHashSet<>(guarded.types());
        guarded.types().forEach(type -> owners.addAll(List.of(ClassUtils.getAllInterfacesForClass(type))));
        Map<List<Class<?>>, Method> bySignature = new LinkedHashMap<>();
        for (Class<?> owner : owners) {
            for (Method method : ReflectionUtils.getAllDeclaredMethods(owner)) {
                if (method.getName().equals(name) && !method.isSynthetic() && !isItself(method, guarded)) {
                    bySignature.putIfAbsent(guarded.parameterTypes(method), method);
                }
            }
        }
        return List.copyOf(bySignature.values());
    }

    private static boolean isItself(Method method, GuardedMethod guarded) {
        return method.getName().equals(guarded.method().getName())
                && guarded.parameterTypes(method).equals(guarded.parameterTypes(guarded.method()));
    }

    private static InvalidConfigurationException missing(String name, GuardedMethod guarded, List<Method> named) {
        String parameters = Arrays.stream(guarded.method().getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        String allowed = parameters.isEmpty() ? "() or (an exception)"
                : "(" + parameters + "), (" + parameters + ", an exception) or (an exception)";
        String problem = named.isEmpty()
                ? "fallback '" + name + "' does not exist in " + guarded.beanClass().getSimpleName()
                : "fallback '" + name + "' has the wrong parameters: there is "
                        + named.stream().map(GuardedMethod::describe).sorted().collect(Collectors.joining(", "));
        return guarded.invalid(problem, "Add a method '" + name + "' with the parameters " + allowed + ", or correct the name.");
    }

    private static void requireFittingResults(List<Fallback> found, GuardedMethod guarded) {
        Class<?> wanted = GenericTypeResolver.resolveReturnType(guarded.method(), guarded.beanClass());
        for (Fallback fallback : found) {
            Class<?> given = GenericTypeResolver.resolveReturnType(fallback.method(), guarded.beanClass());
            if (!ClassUtils.isAssignable(wanted, given)) {
                throw guarded.invalid(
                        "fallback '" + GuardedMethod.describe(fallback.method()) + "' returns " + given.getSimpleName()
                                + ", which is not a " + wanted.getSimpleName(),
                        "Let the fallback return " + wanted.getSimpleName() + ", as the method itself does.");
            }
        }
    }

    private static void requireUnambiguous(String name, List<Fallback> sorted, GuardedMethod guarded) {
        for (int i = 1; i < sorted.size(); i++) {
            Fallback one = sorted.get(i - 1);
            Fallback other = sorted.get(i);
            Class<?> exception = one.exception();
            if (exception != null && exception == other.exception()) {
                throw guarded.invalid(
                        "fallback '" + name + "' is ambiguous: "
                                + List.of(one, other).stream()
                                        .map(fallback -> GuardedMethod.describe(fallback.method()))
                                        .sorted()
                                        .collect(Collectors.joining(" and "))
                                + " both take " + exception.getSimpleName(),
                        "Remove or rename one of them.");
            }
        }
    }

    /** The one for a call that was rejected by this breaker or failed; null when the caller is to get the exception. */
    @Nullable Fallback choose(Breaker breaker, Throwable thrown) {
        boolean rejected = thrown instanceof CircuitOpenException open && open.name().equals(breaker.id());
        if (!rejected && !breaker.settings().records(thrown)) {
            return null;
        }
        for (Fallback fallback : byDistance) {
            if (fallback.takes(thrown)) {
                return fallback;
            }
        }
        return null;
    }

    /**
     * One of them.
     *
     * @param handle takes the bean and an array of arguments
     * @param exception what it wants to know; null when nothing
     * @param withArguments whether it wants the arguments of the call
     */
    record Fallback(Method method, MethodHandle handle, @Nullable Class<?> exception, boolean withArguments) {

        private static @Nullable Fallback of(Method method, GuardedMethod guarded) {
            List<Class<?>> wanted = guarded.parameterTypes(guarded.method());
            List<Class<?>> given = guarded.parameterTypes(method);
            if (given.equals(wanted)) {
                return new Fallback(method, handle(method), null, true);
            }
            if (given.isEmpty() || !Throwable.class.isAssignableFrom(given.get(given.size() - 1))) {
                return null;
            }
            Class<?> exception = given.get(given.size() - 1);
            List<Class<?>> before = given.subList(0, given.size() - 1);
            return before.isEmpty() || before.equals(wanted)
                    ? new Fallback(method, handle(method), exception, before.equals(wanted))
                    : null;
        }

        private static MethodHandle handle(Method method) {
            ReflectionUtils.makeAccessible(method);
            try {
                MethodHandle handle = MethodHandles.lookup().unreflect(method).asFixedArity();
                if (Modifier.isStatic(method.getModifiers())) {
                    handle = MethodHandles.dropArguments(handle, 0, Object.class);
                }
                return handle.asSpreader(Object[].class, method.getParameterCount())
                        .asType(methodType(Object.class, Object.class, Object[].class));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException("fallback " + method + " is not accessible", e);
            }
        }

        /** How special the exception is; one that takes any exception without wanting it comes last. */
        private int depth() {
            int depth = 0;
            for (Class<?> type = exception; type != null; type = type.getSuperclass()) {
                depth++;
            }
            return depth;
        }

        private boolean takes(Throwable thrown) {
            return exception == null || exception.isInstance(thrown);
        }

        /** Calls it; what it throws is thrown. */
        @Nullable Object call(MethodInvocation invocation, Throwable cause) throws Throwable {
            @Nullable Object[] arguments = withArguments ? invocation.getArguments() : new Object[0];
            if (exception != null) {
                arguments = Arrays.copyOf(arguments, arguments.length + 1, Object[].class);
                arguments[arguments.length - 1] = cause;
            }
            return handle.invokeExact(receiver(invocation), arguments);
        }

        /** The bean itself; for an interface that only its proxy implements, the proxy. */
        private @Nullable Object receiver(MethodInvocation invocation) {
            Object target = invocation.getThis();
            return method.getDeclaringClass().isInstance(target) || !(invocation instanceof ProxyMethodInvocation proxied)
                    ? target
                    : proxied.getProxy();
        }
    }
}
