package dev.stoplight.benchmarks;

import dev.stoplight.benchmarks.core.CoreSuite;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Report;
import dev.stoplight.benchmarks.redis.RedisSuite;
import dev.stoplight.benchmarks.spring.SpringSuite;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Runs a suite of measurements, prints what came out, and says whether it is what the project promises. */
public final class Main {

    private static final String USAGE = "usage: core|redis|spring [--quick] [--only <pattern>] [--output <folder>]";

    private Main() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            throw new IllegalArgumentException(USAGE);
        }
        Options options = options(args);
        Report report =
                switch (args[0]) {
                    case "core" -> CoreSuite.run(options);
                    case "redis" -> RedisSuite.run(options);
                    case "spring" -> SpringSuite.run(options);
                    default -> throw new IllegalArgumentException("unknown suite '" + args[0] + "'; " + USAGE);
                };
        report.write(options.output());
        report.print(System.out);
        System.out.println("Written to " + options.output().toAbsolutePath());
        if (!report.kept() && !options.quick()) {
            System.exit(1);
        }
    }

    private static Options options(String[] args) {
        Path output = Path.of(System.getProperty("stoplight.benchmarks.output", "."));
        boolean quick = false;
        Pattern only = Options.EVERYTHING;
        for (int i = 1; i < args.length; i++) {
            String option = args[i];
            if (option.equals("--quick")) {
                quick = true;
            } else if (i + 1 < args.length && option.equals("--only")) {
                only = Pattern.compile(args[++i]);
            } else if (i + 1 < args.length && option.equals("--output")) {
                output = Path.of(args[++i]);
            } else {
                throw new IllegalArgumentException("unknown or incomplete option '" + option + "'; " + USAGE);
            }
        }
        return new Options(output, quick, only);
    }
}
