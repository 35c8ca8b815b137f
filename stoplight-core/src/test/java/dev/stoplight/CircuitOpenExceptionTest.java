package dev.stoplight;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CircuitOpenExceptionTest {

    @ParameterizedTest
    @CsvSource({"PT12S,12", "PT0S,0", "PT0.000000001S,1", "PT11.001S,12", "PT2M,120", "PT8760H,31536000"})
    void theMessageNamesTheBreakerItsStateAndTheSecondsRoundedUp(Duration retryAfter, long seconds) {
        CircuitOpenException thrown = new CircuitOpenException("payments", BreakerState.OPEN, retryAfter);
        assertThat(thrown).hasMessage("Breaker 'payments' is OPEN; retry in " + seconds + "s");
        assertThat(thrown.retryAfter()).isEqualTo(retryAfter);
        assertThat(thrown.name()).isEqualTo("payments");
        assertThat(thrown.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void retryAfterIsNeverNegative() {
        CircuitOpenException thrown = new CircuitOpenException("payments:acme", BreakerState.HALF_OPEN, Duration.ofSeconds(-1));
        assertThat(thrown.retryAfter()).isZero();
        assertThat(thrown).hasMessage("Breaker 'payments:acme' is HALF_OPEN; retry in 0s");
    }

    @Test
    void itCarriesNoStackTraceButMayBeSuppressedInto() {
        CircuitOpenException thrown = new CircuitOpenException("payments", BreakerState.OPEN, Duration.ofSeconds(1));
        assertThat(thrown.getStackTrace()).isEmpty();
        thrown.addSuppressed(new IllegalStateException("cleaning up failed"));
        assertThat(thrown.getSuppressed()).hasSize(1);
    }
}
