package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerSetting;
import dev.stoplight.spring.StoplightProperties;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** docs/configuration.md says what the generated metadata says, of every property and of no other. */
final class ConfigurationReferenceTests {

    private static final String SETTINGS = "stoplight.defaults.";

    @Test
    void everyPropertyHasItsRowAndEveryRowIsAProperty() throws IOException {
        List<String> documented = rows("docs/configuration.md").filter(row -> row.startsWith("| <a id=")).toList();

        assertThat(documented).containsExactlyInAnyOrderElementsOf(properties().map(ConfigurationReferenceTests::row).toList());
    }

    @Test
    void theReadmeNamesEveryPropertyAndItsDefaultAndLinksToIt() throws IOException {
        String readme = Markdown.read(Markdown.ROOT.resolve("README.md")).prose();

        assertThat(properties()
                        .map(property -> "[`%s`](docs/configuration.md#%s) %s"
                                .formatted(shortName(property), anchor(property), value(property)).strip() + " |"))
                .allMatch(readme::contains);
    }

    private static Stream<JsonNode> properties() throws IOException {
        try (InputStream in = StoplightProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.builder().build().readTree(in).path("properties").valueStream();
        }
    }

    private static String row(JsonNode property) {
        return "| <a id=\"%s\"></a>`%s` | %s | %s |"
                .formatted(anchor(property), shortName(property), value(property), property.path("description").asString());
    }

    /** A setting stands in the table under its own name, since it may be under {@code defaults} or under a breaker. */
    private static String shortName(JsonNode property) {
        String name = property.path("name").asString();
        return name.startsWith(SETTINGS) ? name.substring(SETTINGS.length()) : name;
    }

    private static String anchor(JsonNode property) {
        return shortName(property).replace('.', '-');
    }

    private static String value(JsonNode property) {
        String text = property.path("defaultValue").asString("");
        if (property.path("name").asString().startsWith(SETTINGS)) {
            BreakerSetting setting = BreakerSetting.of(shortName(property));
            text = setting.format(setting.builtIn());
        }
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    private static Stream<String> rows(String file) {
        return Markdown.read(Markdown.ROOT.resolve(file)).prose().lines().filter(line -> line.startsWith("|"));
    }
}
