package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.stoplight.CircuitOpenException;
import dev.stoplight.redis.RedisBreakerStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/** What ahead-of-time processing knows. */
class AheadOfTimeTests {

    static class Base {

        private String spare(String symbol, IllegalStateException cause) {
            return "spare";
        }

        private static String spare(CircuitOpenException cause) {
            return "closed";
        }

        private String other(String symbol) {
            return "other";
        }
    }

    static class Quotes extends Base {

        @CircuitBreaker(name = "quotes", fallback = "spare", key = "#p0")
        public String quote(String symbol) {
            return symbol;
        }
    }

    private static RuntimeHints registered() {
        RuntimeHints hints = new RuntimeHints();
        List<RuntimeHintsRegistrar> registrars = AotServices.factories().load(RuntimeHintsRegistrar.class).asList();
        registrars.stream()
                .filter(StoplightRuntimeHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, AheadOfTimeTests.class.getClassLoader()));
        return hints;
    }

    @Test
    void everyScriptAndEveryFileOfThePageIsKept() {
        RuntimeHints hints = registered();
        List<String> files = Stream.of("dev/stoplight/redis", "dev/stoplight/spring/dashboard").flatMap(AheadOfTimeTests::files).toList();

        assertThat(files).contains("dev/stoplight/redis/record.lua", "dev/stoplight/spring/dashboard/dashboard.html");
        assertThat(files).allSatisfy(file -> assertThat(resource().forResource(file)).accepts(hints));
    }

    private static Stream<String> files(String directory) {
        try {
            return Stream.of(new PathMatchingResourcePatternResolver(RedisBreakerStore.class.getClassLoader())
                            .getResources("classpath*:" + directory + "/*.*"))
                    .map(found -> directory + "/" + found.getFilename())
                    .filter(name -> !name.endsWith(".class"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theAnnotationAndTheRootOfKeyExpressionsAreKept() {
        RuntimeHints hints = registered();

        assertThat(reflection().onType(CircuitBreaker.class).withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(hints);
        assertThat(reflection().onType(KeyExpression.Root.class).withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(hints);
    }

    @Test
    void theFieldThatTellsTheServerIsKept() {
        assertThat(reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration")).accepts(registered());
    }

    @Test
    void fallbacksAreKeptAndTheWholeConfigurationCanBeProcessed() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(StoplightAutoConfiguration.class);
        context.registerBean("quotes", Quotes.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTests.class)), new InMemoryGeneratedFiles());
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        RuntimeHints hints = generation.getRuntimeHints();

        assertThat(reflection().onMethodInvocation(method("spare", String.class, IllegalStateException.class))).accepts(hints);
        assertThat(reflection().onMethodInvocation(method("spare", CircuitOpenException.class))).accepts(hints);
        assertThat(reflection().onMethodInvocation(method("other", String.class))).rejects(hints);
        assertThat(reflection().onType(StoplightProperties.Settings.class)).accepts(hints);
    }

    private static Method method(String name, Class<?>... parameters) {
        Method method = ReflectionUtils.findMethod(Base.class, name, parameters);
        assertThat(method).isNotNull();
        return method;
    }
}
