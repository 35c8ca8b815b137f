package dev.stoplight.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that a {@link CircuitBreaker} is meant for.
 *
 * @param beanName the bean that it belongs to
 * @param types the bean's class, and the interfaces of its proxy
 * @param method the method as the bean's class has it
 * @param annotation the method's own annotation, or that of its type
 */
record GuardedMethod(String beanName, List<Class<?>> types, Method method, MergedAnnotation<CircuitBreaker> annotation) {

    private static final Log LOG = LogFactory.getLog(GuardedMethod.class);

    /** The methods of those types that are to be protected; a method that never can be is an error. */
    static List<GuardedMethod> of(String beanName, List<Class<?>> types) {
        List<GuardedMethod> found = new ArrayList<>();
        for (Class<?> type : types) {
            for (Method method : candidates(type)) {
                MergedAnnotation<CircuitBreaker> annotation = annotation(type, method);
                if (annotation != null && found.stream().noneMatch(known -> known.overrides(method))) {
                    GuardedMethod guarded = new GuardedMethod(beanName, types, method, annotation);
                    if (guarded.isInterceptable()) {
                        found.add(guarded);
                    }
                }
            }
        }
        return found;
    }

    /** Whether there is anything to do for a bean of those types, found out without complaining. */
    static boolean existIn(List<Class<?>> types) {
        return types.stream().anyMatch(type -> candidates(type).stream().anyMatch(method -> annotation(type, method) != null));
    }

    private static List<Method> candidates(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, CircuitBreaker.class)
                ? List.of(ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS))
                : List.of();
    }

    private static @Nullable MergedAnnotation<CircuitBreaker> annotation(Class<?> type, Method method) {
        MergedAnnotation<CircuitBreaker> own =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(CircuitBreaker.class);
        if (own.isPresent()) {
            return own;
        }
        return Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && !ReflectionUtils.isObjectMethod(method)
                ? ofType(type, method)
                : null;
    }

    /** A class speaks for all its public methods, an interface for those that it declares. */
    private static @Nullable MergedAnnotation<CircuitBreaker> ofType(Class<?> type, Method method) {
        MergedAnnotation<CircuitBreaker> ofClass =
                MergedAnnotations.from(type, SearchStrategy.SUPERCLASS).get(CircuitBreaker.class);
        if (ofClass.isPresent()) {
            boolean isFallback = method.getName().equals(ofClass.getString("fallback"));
            boolean isForeignFinal = Modifier.isFinal(method.getModifiers()) && method.getDeclaringClass() != type;
            return isFallback || isForeignFinal ? null : ofClass;
        }
        for (Class<?> parent : ClassUtils.getAllInterfacesForClass(type)) {
            MergedAnnotation<CircuitBreaker> ofInterface =
                    MergedAnnotations.from(parent, SearchStrategy.TYPE_HIERARCHY).get(CircuitBreaker.class);
            if (ofInterface.isPresent()
                    && declares(parent, method, type)
                    && !method.getName().equals(ofInterface.getString("fallback"))) {
                return ofInterface;
            }
        }
        return null;
    }

    private static boolean declares(Class<?> parent, Method method, Class<?> type) {
        return Arrays.stream(parent.getMethods())
                .anyMatch(declared -> declared.getName().equals(method.getName())
                        && parameterTypes(declared, type).equals(parameterTypes(method, type)));
    }

    /** The parameters of a method as the bean has it: those of a generic type are known only there. */
    List<Class<?>> parameterTypes(Method any) {
        return parameterTypes(any, beanClass());
    }

    private static List<Class<?>> parameterTypes(Method method, Class<?> beanClass) {
        List<Class<?>> types = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            types.add(new MethodParameter(method, i).withContainingClass(beanClass).getParameterType());
        }
        return types;
    }

    private boolean overrides(Method other) {
        return method.getName().equals(other.getName())
                && List.of(method.getParameterTypes()).equals(List.of(other.getParameterTypes()));
    }

    private boolean isInterceptable() {
        if (Modifier.isPrivate(method.getModifiers())) {
            LOG.warn("@CircuitBreaker on method '" + describe(method) + "' of bean '" + beanName
                    + "' does nothing, because a proxy cannot intercept a private method");
            return false;
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw invalid("a static method cannot be intercepted by a proxy", "Remove 'static' from the method, or the annotation.");
        }
        return true;
    }

    /** Checks what only a proxy that is a subclass of the bean's class cannot do. */
    void requireOverridable() {
        Class<?> type = beanClass();
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            String obstacle = type.isSealed() ? "sealed" : "final";
            throw invalid(
                    "class " + type.getSimpleName() + " is " + obstacle + " and cannot be intercepted by a proxy",
                    "Remove '" + obstacle + "' from the class, or let it implement an interface with this method and set"
                            + " spring.aop.proxy-target-class=false.");
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw invalid("a final method cannot be intercepted by a proxy", "Remove 'final' from the method, or the annotation.");
        }
        boolean packagePrivate = !Modifier.isPublic(method.getModifiers()) && !Modifier.isProtected(method.getModifiers());
        if (packagePrivate && method.getDeclaringClass().getPackage() != type.getPackage()) {
            throw invalid(
                    "a package-private method of another package cannot be intercepted by a proxy",
                    "Make the method protected or public, or remove the annotation.");
        }
    }

    Class<?> beanClass() {
        return types.get(0);
    }

    /** {@code SimpleClassName.methodName}; for a bean without a class of its own, the interface's name. */
    String defaultName() {
        Class<?> type = beanClass();
        if (Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type) || !method.getDeclaringClass().isAssignableFrom(type)) {
            type = annotatedType();
        }
        String simple = type.getSimpleName();
        return (simple.isEmpty() ? ClassUtils.getShortName(type) : simple) + "." + method.getName();
    }

    private Class<?> annotatedType() {
        Object source = annotation.getSource();
        if (source instanceof Class<?> type) {
            return type;
        }
        return source instanceof Method annotated ? annotated.getDeclaringClass() : method.getDeclaringClass();
    }

    /** The method on which the annotation stands, when that is another one: its parameters may have other names. */
    Optional<Method> annotatedMethod() {
        return annotation.getSource() instanceof Method annotated ? Optional.of(annotated) : Optional.empty();
    }

    InvalidConfigurationException invalid(String problem, String action) {
        return invalid(problem, action, null);
    }

    InvalidConfigurationException invalid(String problem, String action, @Nullable Throwable cause) {
        return new InvalidConfigurationException(
                "@CircuitBreaker on method '" + this + "' of bean '" + beanName + "': " + problem, action, cause);
    }

    /** The method as it is written in code: {@code Quotes.quote(String, int)}. */
    static String describe(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(", ")"));
    }

    @Override
    public String toString() {
        return describe(method);
    }
}
