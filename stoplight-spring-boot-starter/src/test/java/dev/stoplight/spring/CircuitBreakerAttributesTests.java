package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.testing.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.AopTestUtils;

/** Every attribute of the annotation, one by one. */
class CircuitBreakerAttributesTests {

    static class Quotes {

        RuntimeException failure = new IllegalStateException("down");
        int calls;

        @CircuitBreaker
        String plain() {
            return fail();
        }

        @CircuitBreaker("by-value")
        public String byValue() {
            return fail();
        }

        @CircuitBreaker(name = "by-name-${suffix}")
        protected String byName() {
            return fail();
        }

        @CircuitBreaker(threshold = 2, window = "30s", coolOff = "${cool-off:5m}", mode = BreakerMode.COUNT)
        String settings() {
            return fail();
        }

        @CircuitBreaker(window = "PT1M")
        String isoWindow() {
            return fail();
        }

        @CircuitBreaker(threshold = 1, recordExceptions = IOException.class)
        String recordsOnlyIo() throws IOException {
            calls++;
            if (failure instanceof UncheckedIOException io) {
                throw io.getCause();
            }
            throw failure;
        }

        @CircuitBreaker(threshold = 1, recordExceptions = RuntimeException.class, ignoreExceptions = IllegalStateException.class)
        String ignoresIllegalState() {
            return fail();
        }

        private String fail() {
            calls++;
            throw failure;
        }
    }

    @Test
    void withoutAttributesTheBreakerIsNamedAfterClassAndMethodAndHasTheBuiltInSettings() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=x").run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            for (int i = 0; i < 3; i++) {
                assertThatIllegalStateException().isThrownBy(quotes::plain).withMessage("down");
            }

            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(quotes::plain).satisfies(open -> {
                assertThat(open.name()).isEqualTo("Quotes.plain");
                assertThat(open.state()).isEqualTo(BreakerState.OPEN);
                assertThat(open.retryAfter()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(60));
            });
            assertThat(Contexts.breaker(context, "Quotes.plain").settings()).isEqualTo(BreakerSettings.builtIn());
        });
    }

    @Test
    void nameAndValueAreTheSameAndPlaceholdersInThemAreResolved() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=eu").run(context -> {
            BreakerRegistry registry = context.getBean(BreakerRegistry.class);

            assertThat(registry.find("by-value")).isPresent();
            assertThat(registry.find("by-name-eu")).isPresent();
        });
    }

    @Test
    void thresholdWindowCoolOffAndModeAreSettings() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=x").run(context -> {
            BreakerSettings settings = Contexts.breaker(context, "Quotes.settings").settings();

            assertThat(settings.threshold()).isEqualTo(2);
            assertThat(settings.window()).isEqualTo(Duration.ofSeconds(30));
            assertThat(settings.coolOff()).isEqualTo(Duration.ofMinutes(5));
            assertThat(settings.mode()).isEqualTo(BreakerMode.COUNT);
            assertThat(Contexts.breaker(context, "Quotes.isoWindow").settings().window()).isEqualTo(Duration.ofMinutes(1));
        });
    }

    @Test
    void onlySettingsThatAreGivenCountAsGiven() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=x", "cool-off=7s").run(context -> {
            BreakerSettings settings = Contexts.breaker(context, "Quotes.settings").settings();

            assertThat(settings.explicit())
                    .isEqualTo(Set.of(BreakerSetting.THRESHOLD, BreakerSetting.WINDOW, BreakerSetting.COOL_OFF, BreakerSetting.MODE));
            assertThat(settings.coolOff()).isEqualTo(Duration.ofSeconds(7));
        });
    }

    @Test
    void onlyListedExceptionsCountWhenAnyAreListed() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=x").run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            Quotes target = target(quotes);

            assertThatIllegalStateException().isThrownBy(quotes::recordsOnlyIo);
            assertThat(Contexts.breaker(context, "Quotes.recordsOnlyIo").state()).isEqualTo(BreakerState.CLOSED);

            target.failure = new UncheckedIOException(new IOException("disk"));
            assertThatExceptionOfType(IOException.class).isThrownBy(quotes::recordsOnlyIo).withMessage("disk");
            assertThat(Contexts.breaker(context, "Quotes.recordsOnlyIo").state()).isEqualTo(BreakerState.OPEN);
        });
    }

    @Test
    void ignoredExceptionsReachTheCallerAndCountForNothingEvenWhenListedAsRecorded() {
        Contexts.runner(Quotes.class).withPropertyValues("suffix=x").run(context -> {
            Quotes quotes = context.getBean(Quotes.class);

            assertThatIllegalStateException().isThrownBy(quotes::ignoresIllegalState).isSameAs(target(quotes).failure);
            assertThat(Contexts.breaker(context, "Quotes.ignoresIllegalState").state()).isEqualTo(BreakerState.CLOSED);

            target(quotes).failure = new IllegalArgumentException("counts");
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(quotes::ignoresIllegalState);
            assertThat(Contexts.breaker(context, "Quotes.ignoresIllegalState").state()).isEqualTo(BreakerState.OPEN);
        });
    }

    @Test
    void aRedLightRejectsWithoutRunningTheMethodAndTheBreakerRecoversAfterTheCoolOff() {
        Contexts.runner(Quotes.class, Contexts.Clock.class).withPropertyValues("suffix=x").run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            for (int i = 0; i < 5; i++) {
                assertThatExceptionOfType(RuntimeException.class).isThrownBy(quotes::plain);
            }
            assertThat(target(quotes).calls).isEqualTo(3);

            context.getBean(TestClock.class).advance(Duration.ofSeconds(61));
            assertThatIllegalStateException().isThrownBy(quotes::plain);
            assertThat(target(quotes).calls).isEqualTo(4);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(quotes::plain);
        });
    }

    private static Quotes target(Quotes proxy) {
        return AopTestUtils.getTargetObject(proxy);
    }
}
