package dev.stoplight.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard for Grafana and the alerts for Prometheus ask for what an application really exports. */
class MonitoringFilesTests {

    private static final Path FILES = Path.of("..", "docs", "monitoring");
    private static final Pattern METRIC = Pattern.compile("(stoplight_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((stoplight_\\w+)(?:\\{[^}]*})?, (\\w+)\\)");
    private static final Pattern TEMPLATE = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

    /** Added by Prometheus itself. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    /** What the application exports: metric, label, values. */
    private static final Map<String, Map<String, Set<String>>> EXPORTED = new HashMap<>();

    @BeforeAll
    static void scrape() {
        try (RedisServerProcess redis = new RedisServerProcess()) {
            RedisClient client = RedisClient.create(redis.uri());
            RedisBreakerStore store = RedisBreakerStore.builder(client).timeout(Duration.ofMillis(500)).heartbeat(Duration.ofMinutes(1)).connect();
            try (ServiceInstance service = ServiceInstance.start(WebApplicationType.SERVLET, store)) {
                service.fail(service.breaker("payments"), 3, "down");
                redis.suspend();
                service.fail(service.breaker("mail"), 1, "down");
                read(service.get("/actuator/prometheus", "Accept", "text/plain").body());
            } finally {
                client.shutdown();
            }
        }
    }

    private static void read(String scraped) {
        Pattern sample = Pattern.compile("^(stoplight_\\w+)(?:\\{(.*)})? .*$", Pattern.MULTILINE);
        Matcher samples = sample.matcher(scraped);
        while (samples.find()) {
            Map<String, Set<String>> labels = EXPORTED.computeIfAbsent(samples.group(1), name -> new HashMap<>());
            Matcher matchers = MATCHER.matcher(samples.group(2) == null ? "" : samples.group(2));
            while (matchers.find()) {
                labels.computeIfAbsent(matchers.group(1), name -> new HashSet<>()).add(matchers.group(3));
            }
        }
    }

    @AfterAll
    static void clear() {
        EXPORTED.clear();
    }

    @Test
    void applicationExportsWhatTheContractNames() {
        assertThat(EXPORTED)
                .containsOnlyKeys(
                        "stoplight_calls_total",
                        "stoplight_state",
                        "stoplight_transitions_total",
                        "stoplight_store_up",
                        "stoplight_store_commands_seconds_count",
                        "stoplight_store_commands_seconds_sum",
                        "stoplight_store_commands_seconds_max");
        assertThat(EXPORTED.get("stoplight_calls_total")).containsOnlyKeys("breaker", "outcome");
        assertThat(EXPORTED.get("stoplight_calls_total").get("outcome"))
                .containsExactlyInAnyOrder("succeeded", "failed", "ignored", "slow", "rejected");
        assertThat(EXPORTED.get("stoplight_state")).containsOnlyKeys("breaker");
        assertThat(EXPORTED.get("stoplight_transitions_total")).containsOnlyKeys("breaker", "from", "to");
        assertThat(EXPORTED.get("stoplight_store_commands_seconds_count")).containsOnlyKeys("command", "outcome");
        assertThat(EXPORTED.get("stoplight_store_up")).isEmpty();
    }

    @Test
    void grafanaDashboardAsksForWhatIsExported() throws IOException {
        JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(FILES.resolve("grafana-dashboard.json")));

        List<JsonNode> targets = dashboard.path("panels").valueStream().flatMap(panel -> panel.path("targets").valueStream()).toList();
        assertThat(targets).hasSizeGreaterThan(8).allSatisfy(target -> {
            Set<String> labels = assertExported(target.path("expr").asString());
            assertThat(labels).containsAll(templates(target.path("legendFormat").asString()));
        });
        List<String> variables = dashboard.path("templating").path("list").valueStream()
                .map(variable -> variable.path("definition").asString(""))
                .filter(definition -> !definition.isEmpty())
                .toList();
        assertThat(variables).hasSize(2).allSatisfy(definition -> {
            Matcher values = LABEL_VALUES.matcher(definition);
            assertThat(values.matches()).as(definition).isTrue();
            assertThat(labels(values.group(1))).contains(values.group(2));
        });
    }

    @Test
    void alertsAskForWhatIsExported() throws IOException {
        Map<String, List<Map<String, Object>>> file = new Yaml().load(Files.readString(FILES.resolve("prometheus-alerts.yml")));
        List<Map<String, Object>> rules = rules(file);

        assertThat(rules).extracting(rule -> rule.get("alert")).containsExactly("StoplightStoreDown", "StoplightNotGreen", "StoplightFlapping");
        assertThat(rules).allSatisfy(rule -> {
            assertThat(rule).containsKeys("expr", "labels", "annotations");
            Set<String> labels = assertExported(rule.get("expr").toString());
            assertThat(labels).containsAll(templates(rule.get("annotations").toString()));
        });
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules(Map<String, List<Map<String, Object>>> file) {
        List<Map<String, Object>> rules = new ArrayList<>();
        file.get("groups").forEach(group -> rules.addAll((List<Map<String, Object>>) group.get("rules")));
        return rules;
    }

    /** Checks every metric, label and label value in an expression; the result is the labels that may be shown. */
    private static Set<String> assertExported(String expression) {
        Set<String> shown = new HashSet<>();
        Matcher metrics = METRIC.matcher(expression);
        while (metrics.find()) {
            String metric = metrics.group(1);
            assertThat(EXPORTED).as(expression).containsKey(metric);
            shown.addAll(labels(metric));
            Matcher matchers = MATCHER.matcher(metrics.group(2) == null ? "" : metrics.group(2));
            while (matchers.find()) {
                assertThat(labels(metric)).as(expression).contains(matchers.group(1));
                for (String value : matchers.group(3).split("\\|")) {
                    if (!value.startsWith("$")) {
                        assertThat(EXPORTED.get(metric).get(matchers.group(1))).as(expression).contains(value);
                    }
                }
            }
        }
        assertThat(shown).as(expression).isNotEmpty();
        Matcher groupings = GROUPING.matcher(expression);
        Set<String> grouped = new HashSet<>();
        while (groupings.find()) {
            Set<String> group = Set.of(groupings.group(1).split(", "));
            assertThat(grouped.isEmpty() || grouped.equals(group)).as("both sides of 'and' have the same labels: " + expression).isTrue();
            grouped.addAll(group);
        }
        assertThat(shown).as(expression).containsAll(grouped);
        return grouped.isEmpty() ? shown : grouped;
    }

    private static Set<String> labels(String metric) {
        Set<String> labels = new HashSet<>(OF_PROMETHEUS);
        labels.addAll(EXPORTED.get(metric).keySet());
        return labels;
    }

    private static List<String> templates(String text) {
        return TEMPLATE.matcher(text).results().map(result -> result.group(1)).toList();
    }
}
