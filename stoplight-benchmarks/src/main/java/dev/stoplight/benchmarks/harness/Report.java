package dev.stoplight.benchmarks.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Everything that one suite found out.
 *
 * @param notes what a reader must know to understand the figures
 */
public record Report(
        String suite, boolean quick, Machine machine, List<String> notes, List<Table> tables, List<Promise> promises, List<Chart> charts) {

    /** Where and when it was measured. */
    public record Machine(Instant at, String java, String system, int processors) {
        static Machine here() {
            return new Machine(
                    Instant.now(),
                    System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                    System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"),
                    Runtime.getRuntime().availableProcessors());
        }
    }

    public static Report of(String suite, Options options, Findings findings) {
        return new Report(
                suite,
                options.quick(),
                Machine.here(),
                List.copyOf(findings.notes()),
                List.copyOf(findings.tables()),
                List.copyOf(findings.promises()),
                List.copyOf(findings.charts()));
    }

    public boolean kept() {
        return promises.stream().allMatch(Promise::kept);
    }

    public void print(PrintStream out) {
        out.println();
        out.println(machine.java() + ", " + machine.system() + ", " + machine.processors() + " processors");
        notes.forEach(out::println);
        out.println();
        tables.forEach(table -> out.println(table.text()));
        promises.forEach(promise -> out.println(promise.line()));
        if (quick) {
            out.println("A quick run: the figures only show that everything works.");
        }
    }

    /** Writes {@code <suite>.json} and {@code <suite>.svg}. */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        JsonMapper json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(folder.resolve(suite + ".json"), json.writeValueAsString(this) + "\n");
        Files.writeString(folder.resolve(suite + ".svg"), Svg.draw(charts));
    }
}
