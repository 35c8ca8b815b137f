package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.BreakerLock;
import dev.stoplight.CircuitOpenException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.AopTestUtils;

/** BEHAVIOURS 20: a fallback gets the arguments and the cause; its own exception reaches the caller as it is. */
class FallbackTests {

    static class Shapes {

        Exception failure = new IllegalStateException("down");
        Object seen;

        @CircuitBreaker(fallback = "same")
        String sameParameters(String id, int count) throws Exception {
            throw failure;
        }

        private String same(String id, int count) {
            return "same " + id + count;
        }

        @CircuitBreaker(fallback = "plusException")
        String plusException(String id, int count) throws Exception {
            throw failure;
        }

        String plusException(String id, int count, Exception cause) {
            seen = cause;
            return "plus " + id + count + " " + cause.getMessage();
        }

        @CircuitBreaker(fallback = "only")
        String onlyException(String id, int count) throws Exception {
            throw failure;
        }

        static String only(Throwable cause) {
            return "only " + cause.getMessage();
        }

        @CircuitBreaker(fallback = "closest")
        String closest(String id) throws Exception {
            throw failure;
        }

        String closest(IOException cause) {
            return "io";
        }

        String closest(String id, FileNotFoundException cause) {
            return "file of " + id;
        }

        String closest(CircuitOpenException cause) {
            return "open";
        }

        @CircuitBreaker(fallback = "catchAll")
        String catchAll(String id) throws Exception {
            throw failure;
        }


        String catchAll(IOException cause) {
            return "io";
        }

        String catchAll(RuntimeException cause) {
            return "runtime";
        }

        @CircuitBreaker(fallback = "throwing")
        String throwing() throws Exception {
            throw failure;
        }

        private String throwing(Exception cause) throws Exception {
            throw new FileNotFoundException("from the fallback");
        }

        @CircuitBreaker(fallback = "nothing")
        void nothing(StringBuilder text) throws Exception {
            throw failure;
        }

        private void nothing(StringBuilder text, Exception cause) {
            text.append("fallback");
        }

        @CircuitBreaker(fallback = "boxed")
        int primitive() throws Exception {
            throw failure;
        }

        private Integer boxed() {
            return 42;
        }

        @CircuitBreaker(fallback = "varargs")
        String varargs(String... ids) throws Exception {
            throw failure;
        }

        private String varargs(String[] ids, Exception cause) {
            return String.join("+", ids);
        }

        @CircuitBreaker(fallback = "ignoring", ignoreExceptions = IllegalStateException.class)
        String ignoring() throws Exception {
            throw failure;
        }

        private String ignoring(Throwable cause) {
            return "fallback for " + cause.getMessage();
        }

        @CircuitBreaker(fallback = "ofError")
        String error() {
            throw new StackOverflowError("not an exception");
        }

        private String ofError(Throwable cause) {
            return "fallback";
        }

        @CircuitBreaker(fallback = "handle")
        String handle(Exception argument) throws Exception {
            throw failure;
        }

        private String handle(Exception argument, CircuitOpenException cause) {
            return "open";
        }
    }

    private final ApplicationContextRunner runner = Contexts.runner(Shapes.class);

    @Test
    void aFallbackWithTheSameParametersGetsTheArguments() {
        runner.run(context -> assertThat(context.getBean(Shapes.class).sameParameters("a", 1)).isEqualTo("same a1"));
    }

    @Test
    void aFallbackWithATrailingExceptionGetsTheArgumentsAndTheVeryException() {
        runner.run(context -> {
            Shapes shapes = context.getBean(Shapes.class);

            assertThat(shapes.plusException("a", 1)).isEqualTo("plus a1 down");
            Shapes target = AopTestUtils.getTargetObject(shapes);
            assertThat(target.seen).isSameAs(target.failure);
        });
    }

    @Test
    void aFallbackMayTakeOnlyTheExceptionAndBeStatic() {
        runner.run(context -> assertThat(context.getBean(Shapes.class).onlyException("a", 1)).isEqualTo("only down"));
    }

    @Test
    void ofSeveralFallbacksTheOneWithTheClosestExceptionIsCalled() {
        runner.run(context -> {
            Shapes shapes = context.getBean(Shapes.class);
            Shapes target = AopTestUtils.getTargetObject(shapes);

            target.failure = new IOException();
            assertThat(shapes.closest("x")).isEqualTo("io");
            target.failure = new FileNotFoundException();
            assertThat(shapes.closest("x")).isEqualTo("file of x");
            Contexts.breaker(context, "Shapes.closest").lock(BreakerLock.OPEN);
            assertThat(shapes.closest("x")).isEqualTo("open");
        });
    }

    @Test
    void anExceptionThatNoFallbackTakesReachesTheCaller() {
        runner.run(context -> {
            Shapes shapes = context.getBean(Shapes.class);
            Shapes target = AopTestUtils.getTargetObject(shapes);

            assertThatIllegalStateException().isThrownBy(() -> shapes.closest("x")).isSameAs(target.failure);
            assertThat(shapes.catchAll("x")).isEqualTo("runtime");
        });
    }

    @Test
    void aRejectedCallGoesToTheFallbackWithTheRejection() {
        runner.run(context -> {
            Contexts.breaker(context, "Shapes.plusException").lock(BreakerLock.OPEN);

            assertThat(context.getBean(Shapes.class).plusException("a", 1))
                    .isEqualTo("plus a1 Breaker 'Shapes.plusException' is OPEN; retry in 60s");
        });
    }

    @Test
    void whatTheFallbackThrowsReachesTheCallerAsItIs() {
        runner.run(context -> assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> context.getBean(Shapes.class).throwing())
                .withMessage("from the fallback")
                .withNoCause());
    }

    @Test
    void fallbacksOfMethodsThatReturnNothingAPrimitiveOrTakeVarargs() {
        runner.run(context -> {
            StringBuilder text = new StringBuilder();
            context.getBean(Shapes.class).nothing(text);

            assertThat(text).hasToString("fallback");
            assertThat(context.getBean(Shapes.class).primitive()).isEqualTo(42);
            assertThat(context.getBean(Shapes.class).varargs("a", "b")).isEqualTo("a+b");
        });
    }

    @Test
    void anExceptionThatDoesNotCountReachesTheCallerWhateverTheFallbackTakes() {
        runner.run(context -> {
            Shapes shapes = context.getBean(Shapes.class);

            assertThatIllegalStateException().isThrownBy(shapes::ignoring).withMessage("down");
            assertThatExceptionOfType(StackOverflowError.class).isThrownBy(shapes::error);
            Contexts.breaker(context, "Shapes.ignoring").lock(BreakerLock.OPEN);
            assertThat(shapes.ignoring()).startsWith("fallback for Breaker 'Shapes.ignoring' is OPEN");
        });
    }

    @Test
    void theMethodItselfIsNeverItsOwnFallback() {
        runner.run(context -> {
            Shapes shapes = context.getBean(Shapes.class);

            assertThatIllegalStateException().isThrownBy(() -> shapes.handle(new IOException()));
            Contexts.breaker(context, "Shapes.handle").lock(BreakerLock.OPEN);
            assertThat(shapes.handle(new IOException())).isEqualTo("open");
        });
    }

    @Test
    void whatTheFallbackReturnsSaysNothingOfTheCall() {
        runner.run(context -> {
            for (int i = 0; i < 10; i++) {
                context.getBean(Shapes.class).sameParameters("a", 1);
            }

            assertThat(Contexts.breaker(context, "Shapes.sameParameters").calls().failed()).isEqualTo(3);
            assertThat(Contexts.breaker(context, "Shapes.sameParameters").calls().rejected()).isEqualTo(7);
        });
    }

    interface Spares<T> {

        default T spare(T id) {
            return id;
        }
    }

    interface Api<T> extends Spares<T> {

        T load(T id);
    }

    static class Base<T> {

        private T inherited(T id, IllegalStateException cause) {
            return id;
        }

        T overridden(T id, Exception cause) {
            throw new AssertionError("must not be called");
        }
    }

    static class Child extends Base<String> implements Api<String> {

        @Override
        @CircuitBreaker(fallback = "spare")
        public String load(String id) {
            throw new IllegalStateException();
        }

        @CircuitBreaker(fallback = "inherited")
        public String withInherited(String id) {
            throw new IllegalStateException();
        }

        @CircuitBreaker(fallback = "overridden")
        public String withOverridden(String id) {
            throw new IllegalArgumentException();
        }

        @Override
        String overridden(String id, Exception cause) {
            return "child " + id;
        }
    }

    @Test
    void aFallbackMayBeInheritedFromAGenericClassOrAnInterface() {
        Contexts.runner(Child.class).run(context -> {
            Child child = context.getBean(Child.class);

            assertThat(child.load("a")).isEqualTo("a");
            assertThat(child.withInherited("b")).isEqualTo("b");
            assertThat(child.withOverridden("c")).isEqualTo("child c");
        });
    }

    @Test
    void fallbacksWorkThroughInterfaceProxies() {
        Contexts.runner(Child.class).withPropertyValues("spring.aop.proxy-target-class=false").run(context -> {
            @SuppressWarnings("unchecked")
            Api<String> api = context.getBean(Api.class);

            assertThat(api).isNotInstanceOf(Child.class);
            assertThat(api.load("a")).isEqualTo("a");
        });
    }

    static class Checked {

        @CircuitBreaker(fallback = "spare")
        public String undeclared() {
            throw new IllegalStateException("down");
        }

        private String spare() throws IOException {
            throw new IOException("also down");
        }
    }

    @Test
    void aCheckedExceptionOfTheFallbackThatTheMethodDoesNotDeclareArrivesWrapped() {
        Contexts.runner(Checked.class).run(context -> assertThatExceptionOfType(UndeclaredThrowableException.class)
                .isThrownBy(context.getBean(Checked.class)::undeclared)
                .withCause(new IOException("also down")));
    }

    static class Disabled {
        @CircuitBreaker(name = "off", fallback = "spare")
        String call() {
            throw new IllegalArgumentException("down");
        }

        private String spare() {
            return "spare";
        }
    }

    @Test
    void aBreakerThatIsSwitchedOffStillHasItsFallback() {
        Contexts.runner(Disabled.class)
                .withPropertyValues("stoplight.breakers.off.enabled=false")
                .run(context -> assertThat(context.getBean(Disabled.class).call()).isEqualTo("spare"));
    }

    @Test
    void whenStoplightIsSwitchedOffTheAnnotationDoesNothing() {
        Contexts.runner(Disabled.class)
                .withPropertyValues("stoplight.enabled=false")
                .run(context -> {
                    Disabled bean = context.getBean(Disabled.class);

                    assertThatIllegalArgumentException().isThrownBy(bean::call);
                    assertThat(bean.getClass()).isEqualTo(Disabled.class);
                });
    }
}
