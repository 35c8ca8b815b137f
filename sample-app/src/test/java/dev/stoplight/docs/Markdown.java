package dev.stoplight.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A document of this project, taken apart as GitHub would. */
record Markdown(Path file, List<Block> blocks, String prose) {

    /** Tests run in the module's directory, with Maven and with Gradle. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern FENCE = Pattern.compile("^```(\\w*)\\s*$");
    private static final Pattern LINK = Pattern.compile("!?\\[[^\\]]*]\\(([^)\\s]+)\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);
    private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\">");

    /** A fenced block. */
    record Block(Path file, int line, String language, String text) {

        @Override
        public String toString() {
            return file.getFileName() + ":" + line + " (" + language + ")";
        }
    }

    /** The documents that users read. */
    static List<Markdown> all() {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            Stream<Path> top = Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve);
            return Stream.concat(top, docs.filter(file -> file.toString().endsWith(".md")).sorted()).map(Markdown::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<Block> blocks(String language) {
        return all().stream().flatMap(document -> document.blocks().stream()).filter(block -> block.language().equals(language));
    }

    static Markdown read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<Block> blocks = new ArrayList<>();
        StringBuilder prose = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            Matcher fence = FENCE.matcher(lines.get(i));
            if (!fence.matches()) {
                prose.append(lines.get(i)).append('\n');
                continue;
            }
            int start = i + 1;
            do {
                i++;
            } while (!lines.get(i).equals("```"));
            blocks.add(new Block(file, start, fence.group(1), String.join("\n", lines.subList(start, i)) + "\n"));
        }
        return new Markdown(file, blocks, prose.toString());
    }

    /** The targets of links and pictures, without those to other sites. */
    List<String> links() {
        return LINK.matcher(prose.replaceAll("`[^`]*`", ""))
                .results()
                .map(link -> link.group(1) == null ? link.group(2) : link.group(1))
                .filter(target -> !target.matches("[a-z]+:.*"))
                .toList();
    }

    /** What can be linked to: headings, as GitHub names them, and explicit anchors. */
    Set<String> anchors() {
        Set<String> anchors = new LinkedHashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        HEADING.matcher(prose).results().forEach(heading -> {
            String slug = slug(heading.group(1));
            int before = seen.merge(slug, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? slug : slug + "-" + before);
        });
        ANCHOR.matcher(prose).results().forEach(anchor -> anchors.add(anchor.group(1)));
        return anchors;
    }

    private static String slug(String heading) {
        String text = heading.replaceAll("<[^>]*>", "").replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1").strip();
        return text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
    }
}
