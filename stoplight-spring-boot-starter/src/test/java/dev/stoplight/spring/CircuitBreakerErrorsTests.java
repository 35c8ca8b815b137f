package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.BreakerMode;
import dev.stoplight.spring.elsewhere.PackagePrivate;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** BEHAVIOURS 23: a wrong annotation stops the application with a message that says what to change. */
class CircuitBreakerErrorsTests {

    static class BadThreshold {
        @CircuitBreaker(threshold = 0)
        void call() {}
    }

    @Test
    void aThresholdBelowOne() {
        assertThatStartFails(
                BadThreshold.class,
                "@CircuitBreaker on method 'BadThreshold.call()' of bean 'badThreshold': threshold must be at least 1, was 0",
                "Give a threshold of at least 1, or leave it out.");
    }

    static class BadWindow {
        @CircuitBreaker(window = "soon")
        void call(String a, int[] b) {}
    }

    @Test
    void aWindowThatIsNoDuration() {
        assertThatStartFails(
                BadWindow.class,
                "@CircuitBreaker on method 'BadWindow.call(String, int[])' of bean 'badWindow': window must be a duration such as 500ms,"
                        + " 30s, 5m or PT1M, was soon",
                "Write a duration such as 500ms, 30s, 5m or PT1M, or a placeholder for one.");
    }

    static class BadCoolOff {
        @CircuitBreaker(coolOff = "-5s")
        void call() {}
    }

    @Test
    void aNegativeCoolOff() {
        assertThatStartFails(
                BadCoolOff.class,
                "@CircuitBreaker on method 'BadCoolOff.call()' of bean 'badCoolOff': cool-off must be a duration such as 500ms, 30s, 5m"
                        + " or PT1M, was -5s",
                "Write a duration such as 500ms, 30s, 5m or PT1M, or a placeholder for one.");
    }

    static class UnknownPlaceholder {
        @CircuitBreaker(coolOff = "${no.such.property}")
        void call() {}
    }

    @Test
    void aPlaceholderThatCannotBeResolved() {
        assertThatStartFails(
                UnknownPlaceholder.class,
                "@CircuitBreaker on method 'UnknownPlaceholder.call()' of bean 'unknownPlaceholder': coolOff '${no.such.property}' has a"
                        + " placeholder that cannot be resolved: Could not resolve placeholder 'no.such.property' in value"
                        + " \"${no.such.property}\"",
                "Define the property, or give the placeholder a default as in ${property:30s}.");
    }

    static class BlankName {
        @CircuitBreaker("${no.such.name: }")
        void call() {}
    }

    @Test
    void aNameThatTurnsOutBlank() {
        assertThatStartFails(
                BlankName.class,
                "@CircuitBreaker on method 'BlankName.call()' of bean 'blankName': name must not be blank, was '${no.such.name: }'",
                "Give the breaker a name, or leave the name out.");
    }

    static class TwoModes {
        @CircuitBreaker(mode = {BreakerMode.COUNT, BreakerMode.RATE})
        void call() {}
    }

    @Test
    void moreThanOneMode() {
        assertThatStartFails(
                TwoModes.class,
                "@CircuitBreaker on method 'TwoModes.call()' of bean 'twoModes': mode must be one, was [COUNT, RATE]",
                "Choose one mode.");
    }

    static class BadKey {
        @CircuitBreaker(key = "#id +")
        void call(String id) {}
    }

    @Test
    void aKeyThatCannotBeParsed() {
        assertThatStartFails(
                BadKey.class,
                "@CircuitBreaker on method 'BadKey.call(String)' of bean 'badKey': key '#id +' is not a valid SpEL expression: Expression"
                        + " [#id +] @4: EL1042E: Problem parsing right operand",
                "Correct the expression; an argument is written as #name or #p0.");
    }

    static class UnknownArgument {
        @CircuitBreaker(key = "'client-' + #clientId.trim()")
        void call(String id) {}
    }

    @Test
    void aKeyOverAnArgumentThatDoesNotExist() {
        assertThatStartFails(
                UnknownArgument.class,
                "@CircuitBreaker on method 'UnknownArgument.call(String)' of bean 'unknownArgument': key ''client-' + #clientId.trim()'"
                        + " refers to #clientId, which is no parameter; there are [a0, id, p0]",
                "Use the name of a parameter or its index (#p0); names need classes compiled with -parameters.");
    }

    static class UnknownBean {
        @CircuitBreaker(key = "#id + @'tenants.of'.current()")
        void call(String id) {}
    }

    @Test
    void aKeyOverABeanThatDoesNotExist() {
        assertThatStartFails(
                UnknownBean.class,
                "@CircuitBreaker on method 'UnknownBean.call(String)' of bean 'unknownBean': key '#id + @'tenants.of'.current()' refers to"
                        + " @'tenants.of', and there is no such bean",
                "Correct the name of the bean, or define the bean.");
    }

    static class UnknownProperty {
        @CircuitBreaker(key = "'client-' + #root.arguments[0]")
        void call(String id) {}
    }

    @Test
    void aKeyOverAPropertyThatTheRootDoesNotHave() {
        assertThatStartFails(
                UnknownProperty.class,
                "@CircuitBreaker on method 'UnknownProperty.call(String)' of bean 'unknownProperty': key ''client-' + #root.arguments[0]'"
                        + " refers to arguments, which #root does not have; there are [args, method, target]",
                "Correct the name; an argument is written as #name or #p0.");
    }

    static class MissingHash {
        @CircuitBreaker(key = "id.trim()")
        void call(String id) {}
    }

    @Test
    void aKeyOverAnArgumentWithoutItsHash() {
        assertThatStartFails(
                MissingHash.class,
                "@CircuitBreaker on method 'MissingHash.call(String)' of bean 'missingHash': key 'id.trim()' refers to id, which #root does"
                        + " not have; there are [args, method, target]",
                "Correct the name; an argument is written as #name or #p0.");
    }

    static class FinalMethod {
        @CircuitBreaker
        public final void call() {}
    }

    @Test
    void aFinalMethod() {
        assertThatStartFails(
                FinalMethod.class,
                "@CircuitBreaker on method 'FinalMethod.call()' of bean 'finalMethod': a final method cannot be intercepted by a proxy",
                "Remove 'final' from the method, or the annotation.");
    }

    static final class FinalClass {
        @CircuitBreaker
        public void call() {}
    }

    @Test
    void aFinalClass() {
        assertThatStartFails(
                FinalClass.class,
                "@CircuitBreaker on method 'FinalClass.call()' of bean 'finalClass': class FinalClass is final and cannot be intercepted by"
                        + " a proxy",
                "Remove 'final' from the class, or let it implement an interface with this method and set"
                        + " spring.aop.proxy-target-class=false.");
    }

    static sealed class SealedClass {
        @CircuitBreaker
        public void call() {}
    }

    static final class OnlyChild extends SealedClass {}

    @Test
    void aSealedClass() {
        assertThatStartFails(
                SealedClass.class,
                "@CircuitBreaker on method 'SealedClass.call()' of bean 'sealedClass': class SealedClass is sealed and cannot be"
                        + " intercepted by a proxy",
                "Remove 'sealed' from the class, or let it implement an interface with this method and set"
                        + " spring.aop.proxy-target-class=false.");
    }

    @Test
    void aPackagePrivateMethodOfAnotherPackage() {
        assertThatStartFails(
                OfAnotherPackage.class,
                "@CircuitBreaker on method 'PackagePrivate.call()' of bean 'ofAnotherPackage': a package-private method of another package"
                        + " cannot be intercepted by a proxy",
                "Make the method protected or public, or remove the annotation.");
    }

    static class OfAnotherPackage extends PackagePrivate {}

    static class StaticMethod {
        @CircuitBreaker
        static void call() {}
    }

    @Test
    void aStaticMethod() {
        assertThatStartFails(
                StaticMethod.class,
                "@CircuitBreaker on method 'StaticMethod.call()' of bean 'staticMethod': a static method cannot be intercepted by a proxy",
                "Remove 'static' from the method, or the annotation.");
    }

    static class MissingFallback {
        @CircuitBreaker(fallback = "other")
        String call(String id, int count) {
            return id;
        }
    }

    @Test
    void aFallbackThatDoesNotExist() {
        assertThatStartFails(
                MissingFallback.class,
                "@CircuitBreaker on method 'MissingFallback.call(String, int)' of bean 'missingFallback': fallback 'other' does"
                        + " not exist in MissingFallback",
                "Add a method 'other' with the parameters (String, int), (String, int, an exception) or (an exception), or correct the"
                        + " name.");
    }

    static class WrongFallbackParameters {
        @CircuitBreaker(fallback = "other")
        String call() {
            return "";
        }

        String other(int count) {
            return "";
        }

        String other(Exception cause, int count) {
            return "";
        }
    }

    @Test
    void aFallbackWithOtherParameters() {
        assertThatStartFails(
                WrongFallbackParameters.class,
                "@CircuitBreaker on method 'WrongFallbackParameters.call()' of bean 'wrongFallbackParameters': fallback 'other' has"
                        + " the wrong parameters: there is WrongFallbackParameters.other(Exception, int), WrongFallbackParameters.other(int)",
                "Add a method 'other' with the parameters () or (an exception), or correct the name.");
    }

    static class WrongFallbackResult {
        @CircuitBreaker(fallback = "other")
        String call() {
            return "";
        }

        Integer other() {
            return 1;
        }
    }

    @Test
    void aFallbackThatReturnsSomethingElse() {
        assertThatStartFails(
                WrongFallbackResult.class,
                "@CircuitBreaker on method 'WrongFallbackResult.call()' of bean 'wrongFallbackResult': fallback"
                        + " 'WrongFallbackResult.other()' returns Integer, which is not a String",
                "Let the fallback return String, as the method itself does.");
    }

    static class VoidFallback {
        @CircuitBreaker(fallback = "other")
        String call() {
            return "";
        }

        void other() {}
    }

    @Test
    void aFallbackThatReturnsNothing() {
        assertThatStartFails(
                VoidFallback.class,
                "@CircuitBreaker on method 'VoidFallback.call()' of bean 'voidFallback': fallback 'VoidFallback.other()' returns void,"
                        + " which is not a String",
                "Let the fallback return String, as the method itself does.");
    }

    static class AmbiguousFallback {
        @CircuitBreaker(fallback = "other")
        String call(String id) {
            return "";
        }

        String other(String id, IOException cause) {
            return "";
        }

        String other(IOException cause) {
            return "";
        }

        String other(Exception cause) {
            return "";
        }
    }

    @Test
    void twoFallbacksForTheSameException() {
        assertThatStartFails(
                AmbiguousFallback.class,
                "@CircuitBreaker on method 'AmbiguousFallback.call(String)' of bean 'ambiguousFallback': fallback 'other' is ambiguous:"
                        + " AmbiguousFallback.other(IOException) and AmbiguousFallback.other(String, IOException) both take IOException",
                "Remove or rename one of them.");
    }

    static class Disagreeing {
        @CircuitBreaker(name = "shared", threshold = 2, window = "10s")
        void call() {}
    }

    static class DisagreeingToo {
        @CircuitBreaker(name = "shared", threshold = 2, window = "20s")
        void call() {}
    }

    @Test
    void twoAnnotationsThatDisagreeAboutOneBreaker() {
        Contexts.runner(Disagreeing.class, DisagreeingToo.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessage("@CircuitBreaker on method 'DisagreeingToo.call()' of bean 'disagreeingToo': window of breaker 'shared' is 20s"
                        + " here and 10s on method 'Disagreeing.call()'"));
    }

    static class OddFuture extends CompletableFuture<String> {}

    static class OddReturnType {
        @CircuitBreaker
        OddFuture call() {
            return new OddFuture();
        }
    }

    @Test
    void aFutureThatNothingElseCanStandFor() {
        assertThatStartFails(
                OddReturnType.class,
                "@CircuitBreaker on method 'OddReturnType.call()' of bean 'oddReturnType': return type OddFuture is not supported, because"
                        + " only a CompletionStage or a CompletableFuture can stand for the call",
                "Let the method return CompletionStage or CompletableFuture.");
    }

    private static void assertThatStartFails(Class<?> bean, String message, String action) {
        Contexts.runner(bean).run(context -> {
            assertThat(context).hasFailed();
            Throwable failure = context.getStartupFailure();
            while (failure != null && !(failure instanceof InvalidConfigurationException)) {
                failure = failure.getCause();
            }
            assertThat(failure).isInstanceOfSatisfying(InvalidConfigurationException.class, invalid -> {
                assertThat(invalid).hasMessage(message);
                assertThat(invalid.action()).isEqualTo(action);
            });
        });
    }

    static class PrivateMethod {
        @CircuitBreaker
        private String hidden() {
            return "ran";
        }

        String call() {
            return hidden();
        }
    }

    /** BEHAVIOURS 24. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aPrivateMethodIsNotInterceptedAndOnlyWarnedOf(CapturedOutput output) {
        Contexts.runner(PrivateMethod.class).run(context -> {
            assertThat(context.getBean(PrivateMethod.class).call()).isEqualTo("ran");
            assertThat(output)
                    .contains("@CircuitBreaker on method 'PrivateMethod.hidden()' of bean 'privateMethod' does nothing, because a proxy"
                            + " cannot intercept a private method");
        });
    }

    static class ReturnsFuture {
        @CircuitBreaker
        public Future<String> call() {
            return CompletableFuture.failedFuture(new IllegalStateException());
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aFutureOfWhichNothingIsHeardIsWarnedOf(CapturedOutput output) {
        Contexts.runner(ReturnsFuture.class).run(context -> assertThat(output)
                .contains("@CircuitBreaker on method 'ReturnsFuture.call()' of bean 'returnsFuture' counts a call as a success as soon as"
                        + " the method returns, because nobody is told what becomes of a Future; let the method return CompletableFuture"));
    }

    static class SelfInvocation {
        @CircuitBreaker(threshold = 1)
        public void inner() {
            throw new IllegalStateException("inner");
        }

        public void outer() {
            inner();
        }
    }

    /** BEHAVIOURS 24. */
    @Test
    void aCallFromWithinTheObjectIsNotIntercepted() {
        Contexts.runner(SelfInvocation.class).run(context -> {
            SelfInvocation bean = context.getBean(SelfInvocation.class);
            for (int i = 0; i < 3; i++) {
                assertThatIllegalStateException().isThrownBy(bean::outer).withMessage("inner");
            }
            assertThat(Contexts.breaker(context, "SelfInvocation.inner").calls().failed()).isZero();
        });
    }
}
