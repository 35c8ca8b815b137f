package dev.stoplight.spring;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;

/** The expression of a {@link CircuitBreaker#key}. */
final class KeyExpression {

    private static final DefaultParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final Set<String> BUILT_IN_VARIABLES = Set.of("root", "this");

    private final GuardedMethod guarded;
    private final String text;
    private final SpelExpression expression;
    private final Map<String, Integer> arguments;

    /** The index of the argument that is the whole expression; -1 when it is more than that. */
    private final int argument;

    /** Holds what all evaluations share, and with it what they learn of properties and methods. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    private KeyExpression(GuardedMethod guarded, String text, SpelExpression expression, BeanFactory beans) {
        this.guarded = guarded;
        this.text = text;
        this.expression = expression;
        this.arguments = arguments(guarded);
        this.argument = expression.getAST() instanceof VariableReference variable ? arguments.getOrDefault(name(variable), -1) : -1;
        this.shared.setBeanResolver(new BeanFactoryResolver(beans));
    }

    static KeyExpression parse(String text, GuardedMethod guarded, BeanFactory beans) {
        Class<?> type = guarded.beanClass();
        SpelParserConfiguration configuration = new SpelParserConfiguration(SpelCompilerMode.MIXED, type.getClassLoader());
        SpelExpression expression;
        try {
            expression = (SpelExpression) new SpelExpressionParser(configuration).parseExpression(text);
        } catch (ParseException | IllegalStateException e) {
            throw guarded.invalid(
                    "key '" + text + "' is not a valid SpEL expression: " + e.getMessage(),
                    "Correct the expression; an argument is written as #name or #p0.",
                    e);
        }
        KeyExpression key = new KeyExpression(guarded, text, expression, beans);
        SpelNode whole = expression.getAST();
        key.requireKnownNames(whole, beans);
        key.requirePropertyOfRoot(whole instanceof CompoundExpression ? whole.getChild(0) : whole);
        return key;
    }

    /** Names of arguments and where they are: of this method and of the one on which the annotation stands. */
    private static Map<String, Integer> arguments(GuardedMethod guarded) {
        Map<String, Integer> indices = new HashMap<>();
        guarded.annotatedMethod().ifPresent(annotated -> addNames(annotated, indices));
        addNames(guarded.method(), indices);
        for (int i = 0; i < guarded.method().getParameterCount(); i++) {
            indices.put("p" + i, i);
            indices.put("a" + i, i);
        }
        return indices;
    }

    private static void addNames(Method method, Map<String, Integer> indices) {
        @Nullable String[] names = NAMES.getParameterNames(method);
        for (int i = 0; names != null && i < names.length; i++) {
            String name = names[i];
            if (name != null) {
                indices.putIfAbsent(name, i);
            }
        }
    }

    private void requireKnownNames(SpelNode node, BeanFactory beans) {
        if (node instanceof VariableReference variable) {
            String name = name(variable);
            if (!arguments.containsKey(name) && !BUILT_IN_VARIABLES.contains(name)) {
                throw guarded.invalid(
                        "key '" + text + "' refers to #" + name + ", which is no parameter; there are " + new TreeSet<>(arguments.keySet()),
                        "Use the name of a parameter or its index (#p0); names need classes compiled with -parameters.");
            }
        }
        if (node instanceof BeanReference bean && !beans.containsBean(name(bean))) {
            throw guarded.invalid(
                    "key '" + text + "' refers to " + bean.toStringAST() + ", and there is no such bean",
                    "Correct the name of the bean, or define the bean.");
        }
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference first && name(first).equals("root")) {
            requirePropertyOfRoot(node.getChild(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireKnownNames(node.getChild(i), beans);
        }
    }

    /** What an expression begins with, or goes on with after {@code #root}, if that is a property. */
    private void requirePropertyOfRoot(SpelNode node) {
        if (node instanceof PropertyOrFieldReference property
                && BeanUtils.getPropertyDescriptor(Root.class, StringUtils.uncapitalize(property.getName())) == null) {
            throw guarded.invalid(
                    "key '" + text + "' refers to " + property.getName() + ", which #root does not have; there are [args, method, target]",
                    "Correct the name; an argument is written as #name or #p0.");
        }
    }

    /** Written {@code @name}, {@code @'a.name'}, {@code &factory} or {@code '&a.factory'}. */
    private static String name(BeanReference bean) {
        String reference = bean.toStringAST();
        String name = reference.startsWith("@") ? reference.substring(1) : reference;
        return name.startsWith("'") && name.endsWith("'") ? name.substring(1, name.length() - 1) : name;
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    /** The key of this call; null when there is none. */
    @Nullable String evaluate(MethodInvocation invocation) {
        Object value = argument >= 0 ? invocation.getArguments()[argument] : value(invocation);
        String key = value == null ? "" : ObjectUtils.nullSafeToString(value);
        return key.isEmpty() ? null : key;
    }

    private @Nullable Object value(MethodInvocation invocation) {
        try {
            return expression.getValue(new Context(invocation));
        } catch (EvaluationException e) {
            throw new IllegalStateException("key '" + text + "' of " + guarded + " could not be evaluated: " + e.getMessage(), e);
        }
    }

    private final class Context extends StandardEvaluationContext {

        private final @Nullable Object[] values;

        Context(MethodInvocation invocation) {
            super(new Root(guarded.method(), invocation));
            values = invocation.getArguments();
            shared.applyDelegatesTo(this);
        }

        @Override
        public @Nullable Object lookupVariable(String name) {
            Integer index = arguments.get(name);
            return index == null ? super.lookupVariable(name) : values[index];
        }
    }

    /** What {@code #root} is. */
    static final class Root {

        private final Method method;
        private final MethodInvocation invocation;

        Root(Method method, MethodInvocation invocation) {
            this.method = method;
            this.invocation = invocation;
        }

        public Method getMethod() {
            return method;
        }

        public @Nullable Object[] getArgs() {
            return invocation.getArguments();
        }

        public @Nullable Object getTarget() {
            return invocation.getThis();
        }
    }
}
