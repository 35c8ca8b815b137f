package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinksTests {

    @Test
    void everyRelativeLinkAndAnchorResolves() {
        List<String> broken = new ArrayList<>();
        for (Markdown document : Markdown.all()) {
            for (String link : document.links()) {
                String path = link.replaceFirst("#.*", "");
                Path target = path.isEmpty() ? document.file() : document.file().resolveSibling(path).normalize();
                if (!Files.exists(target)) {
                    broken.add(document.file() + " links to " + link + ", which does not exist");
                } else if (link.contains("#") && !Markdown.read(target).anchors().contains(link.substring(link.indexOf('#') + 1))) {
                    broken.add(document.file() + " links to " + link + ", but the anchors are " + Markdown.read(target).anchors());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyDocumentIsOneClickFromTheReadme() {
        Path readme = Markdown.ROOT.resolve("README.md");
        List<Path> linked = Markdown.read(readme).links().stream()
                .map(link -> readme.resolveSibling(link.replaceFirst("#.*", "")).normalize())
                .toList();

        assertThat(Markdown.all()).extracting(Markdown::file).filteredOn(file -> !file.equals(readme)).allMatch(linked::contains);
    }
}
