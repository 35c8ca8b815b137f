package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class BreakerSettingTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            enabled             | yes         | enabled must be true or false, was yes
            enabled             | 1           | enabled must be true or false, was 1
            mode                | ratio       | mode must be one of consecutive, count, rate, was ratio
            threshold           | 0           | threshold must be at least 1, was 0
            threshold           | -3          | threshold must be at least 1, was -3
            threshold           | 2.5         | threshold must be a whole number, was 2.5
            threshold           | many        | threshold must be a whole number, was many
            threshold           | 5d          | threshold must be a whole number, was 5d
            threshold           | NaN         | threshold must be a whole number, was NaN
            threshold           | 1000000001  | threshold must be at most 1000000000, was 1000000001
            threshold           | 1e999999999 | threshold must be at most 1000000000, was 1e999999999
            window              | 0s          | window must be at least 1ms, was 0s
            window              | -5s         | window must be a duration such as 500ms, 30s, 5m or PT1M, was -5s
            window              | PT-5S       | window must be at least 1ms, was PT-5S
            window              | PT0.0001S   | window must be at least 1ms, was PT0.0001S
            window              | off         | window must be a duration such as 500ms, 30s, 5m or PT1M, was off
            window              | soon        | window must be a duration such as 500ms, 30s, 5m or PT1M, was soon
            window              | 366d        | window must be at most 365 days, was 366d
            window              | 999999999999999d | window must be a duration such as 500ms, 30s, 5m or PT1M, was 999999999999999d
            cool-off            | 0           | cool-off must be at least 1ms, was 0
            cool-off-multiplier | 0.9         | cool-off-multiplier must be between 1.0 and 1000, was 0.9
            cool-off-multiplier | 1001        | cool-off-multiplier must be between 1.0 and 1000, was 1001
            cool-off-multiplier | twice       | cool-off-multiplier must be a number, was twice
            max-cool-off        | forever     | max-cool-off must be a duration such as 500ms, 30s, 5m or PT1M, was forever
            failure-rate        | 0           | failure-rate must be above 0 and at most 1, was 0
            failure-rate        | 50          | failure-rate must be above 0 and at most 1, was 50
            failure-rate        | half        | failure-rate must be a number, was half
            minimum-calls       | 0           | minimum-calls must be at least 1, was 0
            slow-call           | never       | slow-call must be a duration such as 500ms, 30s, 5m or PT1M, or off, was never
            max-average-latency | -1ms        | max-average-latency must be a duration such as 500ms, 30s, 5m or PT1M, or off, was -1ms
            minimum-instances   | 0           | minimum-instances must be at least 1, was 0
            half-open-calls     | 0           | half-open-calls must be at least 1, was 0
            probe-timeout       | 0           | probe-timeout must be at least 1ms, was 0
            recovery-threshold  | 0           | recovery-threshold must be at least 1, was 0
            record-exceptions   | java.io.*   | record-exceptions must list class names, was java.io.*
            ignore-exceptions   | a b         | ignore-exceptions must list class names, was a b
            record-messages     | maybe       | record-messages must be true or false, was maybe
            """)
    void aBadValueIsRefusedWithItsNameItsRuleAndItself(String name, String value, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> BreakerSetting.of(name).parse(value)).withMessage(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            500ms    | PT0.5S
            30s      | PT30S
            5m       | PT5M
            2H       | PT2H
            1d       | PT24H
            1500     | PT1.5S
            PT1M     | PT1M
            pt1m30s  | PT1M30S
            PT1.0019S| PT1.001S
            ' 30s '  | PT30S
            """)
    void durationsAreReadAsPeopleWriteThem(String text, Duration expected) {
        assertThat(BreakerSetting.WINDOW.parse(text)).isEqualTo(expected);
        assertThat(BreakerSetting.WINDOW.parse(expected)).isEqualTo(expected);
    }

    @Test
    void aDurationThatMayBeOffUnderstandsOffAndZero() {
        for (Object off : List.of("off", "OFF", "0", "0s", Duration.ZERO)) {
            assertThat(BreakerSetting.SLOW_CALL.parse(off)).isEqualTo(Duration.ZERO);
        }
        assertThat(BreakerSetting.SLOW_CALL.format(Duration.ZERO)).isEqualTo("off");
    }

    @Test
    void valuesAreReadFromTheirTypeAndFromText() {
        assertThat(BreakerSetting.ENABLED.parse(" TRUE ")).isEqualTo(true);
        assertThat(BreakerSetting.MODE.parse("Rate")).isEqualTo(BreakerMode.RATE);
        assertThat(BreakerSetting.MODE.parse(BreakerMode.COUNT)).isEqualTo(BreakerMode.COUNT);
        assertThat(BreakerSetting.THRESHOLD.parse(7)).isEqualTo(7);
        assertThat(BreakerSetting.THRESHOLD.parse(7L)).isEqualTo(7);
        assertThat(BreakerSetting.THRESHOLD.parse("7.0")).isEqualTo(7);
        assertThat(BreakerSetting.FAILURE_RATE.parse("1")).isEqualTo(1.0);
        assertThat(BreakerSetting.FAILURE_RATE.parse(0.25f)).isEqualTo(0.25);
        assertThat(BreakerSetting.COOL_OFF_MULTIPLIER.parse(1)).isEqualTo(1.0);
    }

    @Test
    void exceptionsAreReadFromClassesAndFromNames() {
        Set<String> expected = Set.of("java.io.IOException", "com.example.Outer$Inner");
        assertThat(BreakerSetting.RECORD_EXCEPTIONS.parse("java.io.IOException, com.example.Outer$Inner,,")).isEqualTo(expected);
        assertThat(BreakerSetting.RECORD_EXCEPTIONS.parse(List.of(IOException.class, "com.example.Outer$Inner"))).isEqualTo(expected);
        assertThat(BreakerSetting.RECORD_EXCEPTIONS.parse(new Object[] {IOException.class, "com.example.Outer$Inner"})).isEqualTo(expected);
        assertThat(BreakerSetting.RECORD_EXCEPTIONS.parse("")).isEqualTo(Set.of());
    }

    @ParameterizedTest
    @EnumSource(BreakerSetting.class)
    void aSettingIsFoundByItsKeyAndByItsOtherSpellings(BreakerSetting setting) {
        String[] words = setting.key().split("-");
        StringBuilder camel = new StringBuilder(words[0]);
        for (int i = 1; i < words.length; i++) {
            camel.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
        }
        assertThat(BreakerSetting.of(setting.key())).isEqualTo(setting);
        assertThat(BreakerSetting.of(setting.name())).isEqualTo(setting);
        assertThat(BreakerSetting.of(camel.toString())).isEqualTo(setting);
    }

    @Test
    void anUnknownSettingIsRefusedWithAListOfWhatThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BreakerSetting.of("treshold"))
                .withMessageStartingWith("unknown setting 'treshold'; allowed are enabled, mode, threshold, window,");
    }

    @ParameterizedTest
    @EnumSource(BreakerSetting.class)
    void whatIsWrittenIsReadBackAlike(BreakerSetting setting) {
        assertThat(setting.parse(setting.format(setting.builtIn()))).isEqualTo(setting.builtIn());
    }

    @ParameterizedTest
    @CsvSource({"PT0.001S,1ms", "PT1.5S,1500ms", "PT59S,59s", "PT1M,1m", "PT90S,90s", "PT1H,1h", "PT48H,48h"})
    void durationsAreWrittenShortAndReadBack(Duration duration, String text) {
        assertThat(BreakerSetting.WINDOW.format(duration)).isEqualTo(text);
        assertThat(BreakerSetting.WINDOW.parse(text)).isEqualTo(duration);
    }
}
