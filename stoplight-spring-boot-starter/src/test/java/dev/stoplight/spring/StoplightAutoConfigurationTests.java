package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class StoplightAutoConfigurationTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(StoplightAutoConfiguration.class));

    @Test
    void settingsAreTakenFromTheBreakersOwnSectionOverTheDefaults() {
        runner.withPropertyValues("stoplight.defaults.threshold=7", "stoplight.defaults.window=5m", "stoplight.breakers.[my.name].threshold=9")
                .run(context -> {
                    Breaker breaker = context.getBean(BreakerRegistry.class).breaker("my.name");
                    BreakerSettingsSources sources = context.getBean(BreakerSettingsSources.class);
                    breaker.configure(BreakerSettings.builder().halfOpenCalls(4).build());

                    assertThat(breaker.settings().threshold()).isEqualTo(9);
                    assertThat(sources.source(breaker, BreakerSetting.THRESHOLD).text()).isEqualTo("yml");
                    assertThat(sources.source(breaker, BreakerSetting.WINDOW).text()).isEqualTo("defaults");
                    assertThat(sources.source(breaker, BreakerSetting.MODE).text()).isEqualTo("built-in");
                    assertThat(sources.source(breaker, BreakerSetting.HALF_OPEN_CALLS).text()).isEqualTo("runtime");
                    Breaker keyed = context.getBean(BreakerRegistry.class).breaker("my.name", "k");
                    assertThat(sources.source(keyed, BreakerSetting.HALF_OPEN_CALLS).text()).isEqualTo("runtime");
                });
    }
}
