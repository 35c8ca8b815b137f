package dev.stoplight.spring;

import static dev.stoplight.BreakerSetting.COOL_OFF;
import static dev.stoplight.BreakerSetting.HALF_OPEN_CALLS;
import static dev.stoplight.BreakerSetting.MINIMUM_CALLS;
import static dev.stoplight.BreakerSetting.SLOW_CALL;
import static dev.stoplight.BreakerSetting.THRESHOLD;
import static dev.stoplight.BreakerSetting.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** BEHAVIOURS 19: yml overrides the annotation, a run-time change overrides yml, and each value's source is known. */
class SettingsPrecedenceTests {

    static class Quotes {

        @CircuitBreaker(name = "quotes", threshold = 11, window = "11s", coolOff = "11s")
        public void call() {}

        @CircuitBreaker(threshold = 11)
        public void quote() {}

        @CircuitBreaker(name = "paymentGateway", key = "#p0")
        public void pay(String client) {}
    }

    private final ApplicationContextRunner runner = Contexts.runner(Quotes.class);

    @Test
    void theStrongestLayerThatSetsAValueWinsAndIsNamedAsItsSource() {
        runner.withPropertyValues(
                        "stoplight.defaults.minimum-calls=33",
                        "stoplight.defaults.threshold=33",
                        "stoplight.defaults.window=33s",
                        "stoplight.defaults.cool-off=33s",
                        "stoplight.breakers.quotes.threshold=22",
                        "stoplight.breakers.quotes.window=22s")
                .run(context -> {
                    Breaker breaker = Contexts.breaker(context, "quotes");
                    breaker.configure(BreakerSettings.builder().threshold(44).build());

                    assertThat(breaker.settings().threshold()).isEqualTo(44);
                    assertThat(breaker.settings().window()).isEqualTo(Duration.ofSeconds(22));
                    assertThat(breaker.settings().coolOff()).isEqualTo(Duration.ofSeconds(11));
                    assertThat(breaker.settings().minimumCalls()).isEqualTo(33);
                    assertThat(breaker.settings().halfOpenCalls()).isEqualTo(1);
                    assertThat(source(context, breaker, THRESHOLD)).isEqualTo("runtime");
                    assertThat(source(context, breaker, WINDOW)).isEqualTo("yml");
                    assertThat(source(context, breaker, COOL_OFF)).isEqualTo("annotation");
                    assertThat(source(context, breaker, MINIMUM_CALLS)).isEqualTo("defaults");
                    assertThat(source(context, breaker, HALF_OPEN_CALLS)).isEqualTo("built-in");

                    breaker.clearOverrides();
                    assertThat(breaker.settings().threshold()).isEqualTo(22);
                    assertThat(source(context, breaker, THRESHOLD)).isEqualTo("yml");
                });
    }

    @Test
    void theSourcesOfAllSettingsTogetherReadTheConfigurationOnce() {
        CountingSource counting = new CountingSource();
        runner.withInitializer(context -> context.getEnvironment().getPropertySources().addFirst(counting)).run(context -> {
            Breaker breaker = Contexts.breaker(context, "quotes");
            counting.reads.set(0);

            assertThat(context.getBean(BreakerSettingsSources.class).sources(breaker)).hasSize(BreakerSetting.values().length);
            assertThat(counting.reads).hasValue(1);
        });
    }

    /** Counts how often the threshold of one breaker is asked for. */
    private static final class CountingSource extends PropertySource<Object> {

        private final AtomicInteger reads = new AtomicInteger();

        CountingSource() {
            super("counting", new Object());
        }

        @Override
        public @Nullable Object getProperty(String name) {
            if (name.equals("stoplight.breakers.quotes.threshold")) {
                reads.incrementAndGet();
            }
            return null;
        }
    }

    @Test
    void aKeyedBreakerFollowsTheRunTimeChangesOfItsName() {
        runner.run(context -> {
            Breaker ofName = Contexts.breaker(context, "paymentGateway");
            Breaker keyed = context.getBean(BreakerRegistry.class).breaker(ofName, "client");
            ofName.configure(BreakerSettings.builder().threshold(44).build());

            assertThat(keyed.settings().threshold()).isEqualTo(44);
            assertThat(source(context, keyed, THRESHOLD)).isEqualTo("runtime");
            assertThat(source(context, keyed, WINDOW)).isEqualTo("built-in");
        });
    }

    @Test
    void settingsGivenInCodeCountAsGivenInCode() {
        runner.run(context -> {
            Breaker breaker =
                    context.getBean(BreakerRegistry.class).breaker("programmatic", BreakerSettings.builder().threshold(5).build());

            assertThat(source(context, breaker, THRESHOLD)).isEqualTo("annotation");
        });
    }

    @Test
    void aNameWithDotsNeedsNoBracketsSoThatDefaultNamesAreEasilyConfigured() {
        runner.withPropertyValues("stoplight.breakers.Quotes.quote.threshold=22").run(context -> {
            Breaker breaker = Contexts.breaker(context, "Quotes.quote");

            assertThat(breaker.settings().threshold()).isEqualTo(22);
            assertThat(source(context, breaker, THRESHOLD)).isEqualTo("yml");
        });
    }

    @Test
    void aNameInBracketsMayContainAnything() {
        Map<String, Object> properties = Map.of(
                "stoplight.breakers.[Quotes.quote].threshold", 22,
                "stoplight.breakers.[a name: ünïcode/{x}].threshold", 23);
        runner.withInitializer(context ->
                        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties)))
                .run(context -> {
                    assertThat(Contexts.breaker(context, "Quotes.quote").settings().threshold()).isEqualTo(22);
                    assertThat(context.getBean(BreakerRegistry.class).breaker("a name: ünïcode/{x}").settings().threshold())
                            .isEqualTo(23);
                });
    }

    @Test
    void aNameInBracketsIsNotMistakenForOneThatDiffersOnlyInCase() {
        runner.withPropertyValues("stoplight.breakers.[Payments].threshold=22", "stoplight.breakers.payments.threshold=23").run(context -> {
            BreakerRegistry registry = context.getBean(BreakerRegistry.class);

            assertThat(registry.breaker("Payments").settings().threshold()).isEqualTo(22);
            assertThat(registry.breaker("payments").settings().threshold()).isEqualTo(23);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "[order_service], [orderService]",
        "[order_service], [order-service]",
        "[order_service], orderService",
        "order-service, [order_service]",
        "[order-service], ORDERSERVICE",
        "[order.service], [order.ser_vice]"
    })
    void namesThatDifferOnlyInCaseAndSeparatorsHaveASectionEach(String one, String other) {
        runner.withPropertyValues(
                        "stoplight.breakers." + one + ".threshold=22",
                        "stoplight.breakers." + other + ".threshold=23",
                        "stoplight.breakers." + other + ".window=23s")
                .run(context -> {
                    BreakerSettings ofOne = configured(context, one);
                    BreakerSettings ofOther = configured(context, other);

                    assertThat(ofOne.threshold()).isEqualTo(22);
                    assertThat(ofOne.window()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(ofOther.threshold()).isEqualTo(23);
                    assertThat(ofOther.window()).isEqualTo(Duration.ofSeconds(23));
                });
    }

    private static BreakerSettings configured(AssertableApplicationContext context, String section) {
        String name = section.replace("[", "").replace("]", "");
        return context.getBean(BreakerRegistry.class).breaker(name).settings();
    }

    @Test
    void anEnvironmentVariableConfiguresABreakerAndWinsOverTheFile() {
        Map<String, Object> variables = Map.of(
                "STOPLIGHT_BREAKERS_PAYMENTGATEWAY_THRESHOLD", "55",
                "STOPLIGHT_BREAKERS_QUOTES_QUOTE_SLOWCALL", "2s",
                "STOPLIGHT_DEFAULTS_MINIMUMCALLS", "56");
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)))
                .withPropertyValues("stoplight.breakers.paymentGateway.threshold=22", "stoplight.breakers.paymentGateway.window=22s")
                .run(context -> {
                    Breaker breaker = Contexts.breaker(context, "paymentGateway");

                    assertThat(breaker.settings().threshold()).isEqualTo(55);
                    assertThat(breaker.settings().window()).isEqualTo(Duration.ofSeconds(22));
                    assertThat(breaker.settings().minimumCalls()).isEqualTo(56);
                    assertThat(Contexts.breaker(context, "Quotes.quote").settings().slowCall()).contains(Duration.ofSeconds(2));
                });
    }

    @Test
    void yamlAsPeopleWriteIt() {
        String yaml =
                """
                stoplight:
                  defaults:
                    slow-call: 2s
                    ignore-exceptions:
                      - java.lang.IllegalArgumentException
                      - java.io.FileNotFoundException
                  breakers:
                    empty:
                    quotes:
                      mode: count
                      slow-call: off
                      coolOff: 22s
                      max_cool_off: 1h
                    "[my name]":
                      threshold: 22
                """;
        runner.withInitializer(context -> load(yaml).forEach(context.getEnvironment().getPropertySources()::addFirst)).run(context -> {
            assertThat(context).hasNotFailed();
            Breaker breaker = Contexts.breaker(context, "quotes");

            assertThat(breaker.settings().slowCall()).isEmpty();
            assertThat(source(context, breaker, SLOW_CALL)).isEqualTo("yml");
            assertThat(breaker.settings().coolOff()).isEqualTo(Duration.ofSeconds(22));
            assertThat(breaker.settings().maxCoolOff()).isEqualTo(Duration.ofHours(1));
            assertThat(breaker.settings().ignoreExceptions())
                    .containsExactlyInAnyOrder("java.lang.IllegalArgumentException", "java.io.FileNotFoundException");
            assertThat(context.getBean(BreakerRegistry.class).breaker("my name").settings().threshold()).isEqualTo(22);
            assertThat(context.getBean(BreakerRegistry.class).breaker("empty").settings().slowCall()).contains(Duration.ofSeconds(2));
        });
    }

    private static List<PropertySource<?>> load(String yaml) {
        try {
            return new YamlPropertySourceLoader().load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String source(AssertableApplicationContext context, Breaker breaker, BreakerSetting setting) {
        return context.getBean(BreakerSettingsSources.class).sources(breaker).get(setting).text();
    }
}
