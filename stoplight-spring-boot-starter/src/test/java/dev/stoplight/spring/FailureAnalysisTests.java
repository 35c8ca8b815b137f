package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a person reads when the application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WrongApplication {

        @Bean
        Wrong wrong() {
            return new Wrong();
        }
    }

    static class Wrong {
        @CircuitBreaker(threshold = 0)
        void call() {}
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stoplight.breakers.payments.threshold=0 | stoplight.breakers.payments.threshold must be at least 1, was 0.",
                "stoplight.breakers.[a.b].threshold=0 | stoplight.breakers[a.b].threshold must be at least 1, was 0.",
                "stoplight.breakers.[my name].threshold=0 | stoplight.breakers[my name].threshold must be at least 1, was 0.",
                "stoplight.breakers.[my name].window=soon | stoplight.breakers[my name].window must be a duration such as 500ms, 30s, 5m or"
                        + " PT1M, was soon.",
                "stoplight.defaults.threshold=many | stoplight.defaults.threshold must be a whole number, was many.",
                "stoplight.defaults.failure-rate=2 | stoplight.defaults.failure-rate must be above 0 and at most 1, was 2.0.",
                "stoplight.defaults.window=soon | stoplight.defaults.window must be a duration such as 500ms, 30s, 5m or PT1M, was soon.",
                "stoplight.defaults.slow-call=soon | stoplight.defaults.slow-call must be a duration such as 500ms, 30s, 5m or PT1M, or"
                        + " off, was soon.",
                "stoplight.defaults.mode=sometimes | stoplight.defaults.mode must be one of consecutive, count, rate, was sometimes.",
                "stoplight.defaults.record-exceptions=java.lang.String | stoplight.defaults.record-exceptions must list exceptions, was"
                        + " java.lang.String.",
                "stoplight.defaults.ignore-exceptions=com.example.Missing | stoplight.defaults.ignore-exceptions must list classes that"
                        + " exist, was com.example.Missing.",
                "stoplight.store=mongo | stoplight.store must be one of auto, redis, memory, was mongo.",
                "stoplight.key-prefix=a{b} | stoplight.key-prefix must not contain braces, was a{b}.",
                "stoplight.breakers.payments=5 | stoplight.breakers.payments must be a section with properties of its own, was 5.",
                "stoplight.breakers.[my name]=5 | stoplight.breakers[my name] must be a section with properties of its own, was 5.",
                "stoplight.breakers=payments | stoplight.breakers must be a section with properties of its own, was payments.",
                "stoplight.defaults=5 | stoplight.defaults must be a section with properties of its own, was 5.",
                "stoplight.redis=localhost | stoplight.redis must be a section with properties of its own, was localhost.",
                "stoplight.redis.timeout=0s | stoplight.redis.timeout must be at least 1ms, was PT0S.",
                "stoplight.redis.timeout=500us | stoplight.redis.timeout must be at least 1ms, was PT0.0005S.",
                "stoplight.redis.timeout=200000000d | stoplight.redis.timeout must be at most 365 days, was PT4800000000H.",
                "stoplight.redis.timeout=200000000000000000d | stoplight.redis.timeout must be a Duration, was 200000000000000000d.",
                "stoplight.redis.timeout=soon | stoplight.redis.timeout must be a Duration, was soon.",
                "stoplight.redis.heartbeat=-1s | stoplight.redis.heartbeat must be at least 1ms, was PT-1S.",
                "stoplight.redis.heartbeat=366d | stoplight.redis.heartbeat must be at most 365 days, was PT8784H.",
                "stoplight.flush-interval=-1s | stoplight.flush-interval must be 0 or at least 1ms, was PT-1S.",
                "stoplight.flush-interval=500us | stoplight.flush-interval must be 0 or at least 1ms, was PT0.0005S.",
                "stoplight.flush-interval=366d | stoplight.flush-interval must be at most 365 days, was PT8784H.",
                "stoplight.keyed.max-idle=0 | stoplight.keyed.max-idle must be positive, was PT0S.",
                "stoplight.keyed.max-idle=366d | stoplight.keyed.max-idle must be at most 365 days, was PT8784H.",
                "stoplight.keyed.max-size=0 | stoplight.keyed.max-size must be at least 1, was 0.",
                "stoplight.dashboard.path=here | stoplight.dashboard.path must start with a slash and not end with one, was here.",
                "stoplight.instance-id=${no.such:} | stoplight.instance-id must not be blank, was .",
            })
    void aBadValueStopsStartUpAndTheAnalysisNamesThePropertyTheRuleAndTheValue(String property, String description, CapturedOutput output) {
        String name = property.substring(0, property.indexOf('='));
        assertThatThrownBy(() -> start(Application.class, "--" + property)).isNotNull();

        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Description:\n\n" + description)
                .contains("Action:\n\nCorrect the value, or remove the property to use the default.")
                .contains("It was read from \"" + name + "\" from property source \"commandLineArgs\".");
    }

    @Test
    void aMisspeltSettingStopsStartUpAndTheAnalysisListsWhatThereIs(CapturedOutput output) {
        assertThatThrownBy(() -> start(Application.class, "--stoplight.breakers.payments.treshold=5")).isNotNull();

        assertThat(output).contains("Description:\n\nProperty 'stoplight.breakers.payments.treshold': unknown setting 'treshold'; allowed"
                + " are enabled, mode, threshold, window,");
    }

    @Test
    void aWrongAnnotationIsExplained(CapturedOutput output) {
        assertThatThrownBy(() -> start(WrongApplication.class)).isNotNull();

        assertThat(output)
                .contains("Description:\n\n@CircuitBreaker on method 'Wrong.call()' of bean 'wrong': threshold must be at least 1, was 0.")
                .contains("Action:\n\nGive a threshold of at least 1, or leave it out.");
    }

    @Test
    void propertiesOfOthersAreLeftToTheirAnalyzers(CapturedOutput output) {
        assertThatThrownBy(() -> start(Application.class, "--spring.data.redis.port=high")).isNotNull();

        assertThat(output).contains("Failed to bind properties under 'spring.data.redis.port'");
    }

    private static void start(Class<?> application, String... arguments) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(WebApplicationType.NONE);
        spring.setDefaultProperties(Map.of("stoplight.store", "memory"));
        spring.run(arguments).close();
    }
}
