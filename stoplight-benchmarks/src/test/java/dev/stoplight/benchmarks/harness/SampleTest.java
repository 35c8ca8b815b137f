package dev.stoplight.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SampleTest {

    @Test
    void percentilesLieBetweenTheirNeighbours() {
        Sample sample = new Sample(new double[] {4, 1, 3, 2});

        assertThat(sample.median()).isEqualTo(2.5);
        assertThat(sample.percentile(0)).isEqualTo(1);
        assertThat(sample.percentile(100)).isEqualTo(4);
    }

    @Test
    void anEmptySampleIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sample(new double[0]))
                .withMessage("a sample must hold at least 1 value, held 0");
    }
}
