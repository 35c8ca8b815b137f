package dev.stoplight.benchmarks.harness;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * How to measure.
 *
 * @param output where the results are written
 * @param quick a short run that shows that everything works; its figures prove nothing
 * @param only measures only what this pattern finds; promises about the rest are not checked
 */
public record Options(Path output, boolean quick, Pattern only) {

    public static final Pattern EVERYTHING = Pattern.compile("");

    public boolean wants(String name) {
        return only.matcher(name).find();
    }
}
