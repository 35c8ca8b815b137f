package dev.stoplight.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OverridesTest {

    @Test
    void whatCannotBeUnderstoodIsLeftOut() {
        Map<String, String> text = Map.of("threshold", "7", "window", "soon", "colour", "mauve", "half-open-calls", "0");
        assertThat(Overrides.parse(text)).isEqualTo(BreakerSettings.builder().threshold(7).build());
    }

    @Test
    void nothingChangedIsNothingSet() {
        assertThat(Overrides.parse(Map.of())).isSameAs(BreakerSettings.builtIn());
    }
}
