package dev.stoplight.benchmarks.redis;

import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Report;

/** The Redis store. Its parts are {@code traffic}, {@code green}, {@code contention}, {@code propagation}, {@code growth}, {@code space}. */
public final class RedisSuite {

    private interface Part {
        void measure(RedisLab lab, Options options, Findings findings) throws Exception;
    }

    private final Options options;
    private final Findings findings = new Findings();

    private RedisSuite(Options options) {
        this.options = options;
    }

    public static Report run(Options options) throws Exception {
        RedisSuite suite = new RedisSuite(options);
        suite.part("traffic", Traffic::measure);
        suite.part("green", GreenPath::measure);
        suite.part("contention", Contention::measure);
        suite.part("propagation", Propagation::measure);
        suite.part("growth", (lab, how, found) -> Growth.measure(how, found));
        suite.part("space", (lab, how, found) -> Space.measure(how, found));
        return Report.of("redis", options, suite.findings);
    }

    /** Each part has a server of its own, so that none finds what another has left. */
    private void part(String name, Part part) throws Exception {
        if (options.wants(name)) {
            System.out.println("Measuring " + name);
            try (RedisLab lab = new RedisLab()) {
                part.measure(lab, options, findings);
            }
        }
    }
}
