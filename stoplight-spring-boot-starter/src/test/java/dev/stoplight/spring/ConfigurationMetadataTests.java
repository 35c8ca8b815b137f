package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an IDE knows of {@code stoplight.*}, from the metadata that the build has generated. */
class ConfigurationMetadataTests {

    private final JsonNode metadata = read();

    private static JsonNode read() {
        try {
            Enumeration<URL> found = ConfigurationMetadataTests.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json");
            for (URL url : Collections.list(found)) {
                try (InputStream in = url.openStream()) {
                    JsonNode content = JsonMapper.shared().readTree(in);
                    if (names(content).contains("stoplight.enabled")) {
                        return content;
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no metadata for stoplight.*");
    }

    private static List<JsonNode> properties(JsonNode content) {
        return StreamSupport.stream(content.path("properties").spliterator(), false).toList();
    }

    private static List<String> names(JsonNode content) {
        return properties(content).stream().map(property -> property.path("name").asString()).toList();
    }

    @Test
    void everyPropertyIsThere() {
        List<String> expected = new ArrayList<>(List.of(
                "stoplight.enabled",
                "stoplight.store",
                "stoplight.key-prefix",
                "stoplight.instance-id",
                "stoplight.order",
                "stoplight.redis.timeout",
                "stoplight.redis.heartbeat",
                "stoplight.flush-interval",
                "stoplight.keyed.max-idle",
                "stoplight.keyed.max-size",
                "stoplight.dashboard.enabled",
                "stoplight.dashboard.path",
                "stoplight.web.problem-details",
                "stoplight.breakers"));
        Arrays.stream(BreakerSetting.values()).map(setting -> "stoplight.defaults." + setting.key()).forEach(expected::add);

        assertThat(names(metadata)).filteredOn(name -> name.startsWith("stoplight.")).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyPropertyHasADescriptionAndADefault() {
        assertThat(properties(metadata)).allSatisfy(property -> {
            assertThat(property.path("description").asString("")).as("description of %s", property).endsWith(".");
            assertThat(property.has("defaultValue")).as("default of %s", property).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource(BreakerSetting.class)
    void theDefaultInTheMetadataIsTheOneThatIsBuiltIn(BreakerSetting setting) {
        JsonNode property = properties(metadata).stream()
                .filter(candidate -> candidate.path("name").asString().equals("stoplight.defaults." + setting.key()))
                .findFirst()
                .orElseThrow();
        JsonNode documented = property.path("defaultValue");
        Object value = setting.parse(documented.isArray() ? List.of() : documented.asString());

        assertThat(value).isEqualTo(BreakerSettings.builtIn().get(setting));
    }
}
