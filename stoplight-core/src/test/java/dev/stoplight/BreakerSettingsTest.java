package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BreakerSettingsTest {

    @Test
    void theBuiltInValuesAreThoseOfTheDocumentation() {
        BreakerSettings settings = BreakerSettings.builtIn();
        assertThat(settings.enabled()).isTrue();
        assertThat(settings.mode()).isEqualTo(BreakerMode.CONSECUTIVE);
        assertThat(settings.threshold()).isEqualTo(3);
        assertThat(settings.window()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.coolOff()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.coolOffMultiplier()).isEqualTo(1.0);
        assertThat(settings.maxCoolOff()).isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.failureRate()).isEqualTo(0.5);
        assertThat(settings.minimumCalls()).isEqualTo(20);
        assertThat(settings.slowCall()).isEmpty();
        assertThat(settings.maxAverageLatency()).isEmpty();
        assertThat(settings.minimumInstances()).isEqualTo(1);
        assertThat(settings.halfOpenCalls()).isEqualTo(1);
        assertThat(settings.probeTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.recoveryThreshold()).isEqualTo(1);
        assertThat(settings.recordExceptions()).isEmpty();
        assertThat(settings.ignoreExceptions()).isEmpty();
        assertThat(settings.recordMessages()).isTrue();
        assertThat(settings.explicit()).isEmpty();
        assertThat(BreakerSettings.builder().build()).isSameAs(settings);
    }

    @Test
    void theBuilderSetsEverySetting() {
        BreakerSettings settings = BreakerSettings.builder()
                .enabled(false)
                .mode(BreakerMode.RATE)
                .threshold(5)
                .window(Duration.ofSeconds(30))
                .coolOff(Duration.ofSeconds(20))
                .coolOffMultiplier(1.5)
                .maxCoolOff(Duration.ofMinutes(5))
                .failureRate(0.25)
                .minimumCalls(10)
                .slowCall(Duration.ofSeconds(1))
                .maxAverageLatency(Duration.ofMillis(200))
                .minimumInstances(2)
                .halfOpenCalls(3)
                .probeTimeout(Duration.ofSeconds(10))
                .recoveryThreshold(4)
                .recordExceptions(IOException.class)
                .ignoreExceptions(FileNotFoundException.class)
                .recordMessages(false)
                .build();
        assertThat(settings.explicit()).containsExactly(BreakerSetting.values());
        assertThat(settings.toText()).containsExactly(
                entry("enabled", "false"),
                entry("mode", "rate"),
                entry("threshold", "5"),
                entry("window", "30s"),
                entry("cool-off", "20s"),
                entry("cool-off-multiplier", "1.5"),
                entry("max-cool-off", "5m"),
                entry("failure-rate", "0.25"),
                entry("minimum-calls", "10"),
                entry("slow-call", "1s"),
                entry("max-average-latency", "200ms"),
                entry("minimum-instances", "2"),
                entry("half-open-calls", "3"),
                entry("probe-timeout", "10s"),
                entry("recovery-threshold", "4"),
                entry("record-exceptions", "java.io.IOException"),
                entry("ignore-exceptions", "java.io.FileNotFoundException"),
                entry("record-messages", "false"));
        assertThat(settings).hasToString(settings.toText().toString());

        BreakerSettings.Builder copy = BreakerSettings.builder();
        settings.toText().forEach(copy::set);
        assertThat(copy.build()).isEqualTo(settings).hasSameHashCodeAs(settings);
    }

    @Test
    void theBuilderChecksEachValueAsItIsSet() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BreakerSettings.builder().threshold(0))
                .withMessage("threshold must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BreakerSettings.builder().window(Duration.ofNanos(1)))
                .withMessage("window must be at least 1ms, was PT0.000000001S");
    }

    @Test
    void oneLaidOverAnotherChangesOnlyWhatItSets() {
        BreakerSettings lower = BreakerSettings.builder().threshold(5).window(Duration.ofSeconds(10)).build();
        BreakerSettings upper = BreakerSettings.builder().threshold(3).coolOff(Duration.ofSeconds(7)).build();
        BreakerSettings merged = lower.overriddenBy(upper);

        // 3 is also the built-in value, but here somebody set it.
        assertThat(merged.threshold()).isEqualTo(3);
        assertThat(merged.window()).isEqualTo(Duration.ofSeconds(10));
        assertThat(merged.coolOff()).isEqualTo(Duration.ofSeconds(7));
        assertThat(merged.explicit()).containsExactly(BreakerSetting.THRESHOLD, BreakerSetting.WINDOW, BreakerSetting.COOL_OFF);
        assertThat(lower.threshold()).isEqualTo(5);
        assertThat(lower.overriddenBy(BreakerSettings.builtIn())).isSameAs(lower);
        assertThat(BreakerSettings.builtIn().overriddenBy(upper)).isSameAs(upper);
    }

    @Test
    void aBuilderMadeFromSettingsLeavesThemAlone() {
        BreakerSettings settings = BreakerSettings.builder().threshold(5).build();
        BreakerSettings changed = settings.toBuilder().threshold(6).build();
        assertThat(settings.threshold()).isEqualTo(5);
        assertThat(changed.threshold()).isEqualTo(6);

        BreakerSettings.Builder builder = BreakerSettings.builder().threshold(1);
        BreakerSettings first = builder.build();
        builder.threshold(2);
        assertThat(first.threshold()).isEqualTo(1);
    }

    @Test
    void everyExceptionCountsUnlessSomethingIsListed() {
        BreakerSettings all = BreakerSettings.builtIn();
        assertThat(all.records(new IOException())).isTrue();
        assertThat(all.records(new IllegalStateException())).isTrue();
        assertThat(all.records(new OutOfMemoryError())).isFalse();

        BreakerSettings some = BreakerSettings.builder()
                .recordExceptions(IOException.class, StackOverflowError.class)
                .ignoreExceptions(FileNotFoundException.class)
                .build();
        assertThat(some.records(new IOException())).isTrue();
        assertThat(some.records(new FileNotFoundException())).isFalse();
        assertThat(some.records(new StackOverflowError())).isTrue();
        assertThat(some.records(new IllegalStateException())).isFalse();
    }

    @Test
    void callsAreCountedOnlyWhereARuleNeedsThem() {
        assertThat(BreakerSettings.builtIn().countsCalls()).isFalse();
        assertThat(BreakerSettings.builder().slowCall(Duration.ofSeconds(1)).build().countsCalls()).isFalse();
        assertThat(BreakerSettings.builder().mode(BreakerMode.RATE).build().countsCalls()).isTrue();
        assertThat(BreakerSettings.builder().maxAverageLatency(Duration.ofSeconds(1)).build().countsCalls()).isTrue();
    }
}
