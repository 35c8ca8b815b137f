package dev.stoplight.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerState;
import dev.stoplight.store.MemoryBreakerStore;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** What the endpoint does over HTTP; the same on every web stack. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class StoplightEndpointContract {

    private static final String PATH = "/actuator/stoplight";

    private final WebApplicationType stack;
    private ServiceInstance service;

    StoplightEndpointContract(WebApplicationType stack) {
        this.stack = stack;
    }

    @BeforeAll
    void start() {
        service = ServiceInstance.start(
                stack,
                new MemoryBreakerStore(),
                "stoplight.instance-id=web-1",
                "stoplight.defaults.window=5m",
                "stoplight.breakers.payments.threshold=2",
                "stoplight.breakers.mail.cool-off=1ms",
                "stoplight.breakers.post.cool-off=1ms");
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @AfterEach
    void forgetAll() {
        service.bean(BreakerRegistry.class).breakers().toList().forEach(Breaker::forget);
    }

    @Test
    void listIsRedFirstThenYellowThenGreenThenByName() {
        service.breaker("catalog");
        service.breaker("basket");
        service.fail(service.breaker("mail"), 3, "down");
        service.fail(service.breaker("payments"), 2, "down");
        service.breaker("ledger").lock(BreakerLock.OPEN);

        JsonNode list = list("");

        assertThat(ids(list)).containsExactly("ledger", "payments", "mail", "basket", "catalog");
        assertThat(list.path("breakers").valueStream().map(b -> b.path("color").asString()))
                .containsExactly("red", "red", "yellow", "green", "green");
        assertThat(list.path("counts").toString()).isEqualTo("{\"red\":2,\"yellow\":1,\"green\":2}");
    }

    @Test
    void listSaysEverythingTheContractNames() {
        service.fail(service.breaker("payments"), 2, "down");

        JsonNode list = list("");

        assertThat(list.path("store").path("type").asString()).isEqualTo("memory");
        assertThat(list.path("store").path("status").asString()).isEqualTo("UP");
        assertThat(list.path("instance").asString()).isEqualTo("web-1");
        JsonNode payments = list.path("breakers").path(0);
        assertThat(payments.propertyNames())
                .contains("name", "key", "state", "color", "lock", "failures", "mode", "threshold", "retryAfterMs", "since");
        assertThat(payments.path("name").asString()).isEqualTo("payments");
        assertThat(payments.path("key").isNull()).isTrue();
        assertThat(payments.path("state").asString()).isEqualTo("OPEN");
        assertThat(payments.path("lock").isNull()).isTrue();
        assertThat(payments.path("failures").asInt()).isEqualTo(2);
        assertThat(payments.path("mode").asString()).isEqualTo("consecutive");
        assertThat(payments.path("threshold").asInt()).isEqualTo(2);
        assertThat(payments.path("retryAfterMs").asLong()).isBetween(1L, 60_000L);
        assertThat(payments.path("since").asString()).startsWith("20").endsWith("Z");
    }

    @Test
    void keysAreListedOnlyWhileSomethingIsUpWithThem() {
        service.breaker("quotes", "well").run(() -> {});
        service.fail(service.breaker("quotes", "failing"), 1, "down");
        service.fail(service.breaker("quotes", "red"), 3, "down");
        service.breaker("quotes", "locked").lock(BreakerLock.CLOSED);

        assertThat(ids(list(""))).containsExactly("quotes:red", "quotes", "quotes:failing", "quotes:locked");
    }

    @Test
    void listComesInPages() {
        IntStream.range(0, 1234).forEach(i -> service.fail(service.breaker("quotes", "client-%04d".formatted(i)), 1, "down"));

        assertThat(ids(list(""))).hasSize(100);
        assertThat(list("").path("page").path("total").asInt()).isEqualTo(1235);
        List<String> all = new ArrayList<>();
        for (int page = 0; page < 3; page++) {
            all.addAll(ids(list("?size=500&page=" + page)));
        }
        assertThat(all).hasSize(1235).isSorted().doesNotHaveDuplicates();
        assertThat(ids(list("?page=2000000000"))).isEmpty();
    }

    @Test
    void listIsFilteredByColourAndText() {
        service.fail(service.breaker("payments"), 2, "down");
        service.fail(service.breaker("quotes", "Acme"), 1, "down");
        service.breaker("catalog");

        assertThat(ids(list("?color=red"))).containsExactly("payments");
        assertThat(ids(list("?search=acme"))).containsExactly("quotes:Acme");
        assertThat(ids(list("?color=green&search=A"))).containsExactly("catalog", "quotes:Acme");
    }

    @ParameterizedTest
    @CsvSource({
        "page=-1, 'page must be at least 0, was -1'",
        "page=two, 'page must be a whole number, was two'",
        "size=0, 'size must be between 1 and 1000, was 0'",
        "size=100000, 'size must be between 1 and 1000, was 100000'",
        "color=blue, 'color must be one of red, yellow, green, was blue'"
    })
    void badParameterIsRefused(String query, String detail) {
        assertRefused(service.get(PATH + "?" + query), 400, detail);
    }

    @Test
    void detailShowsSettingsWithTheirSources() {
        Breaker payments = service.breaker("payments");
        service.post(PATH + "/payments", """
                {"action":"configure","minimum-calls":7}""");

        JsonNode settings = detail("payments").path("settings");

        assertThat(settings.size()).isEqualTo(18);
        assertSetting(settings, "minimum-calls", "7", "runtime");
        assertSetting(settings, "threshold", "2", "yml");
        assertSetting(settings, "window", "\"5m\"", "defaults");
        assertSetting(settings, "cool-off", "\"1m\"", "built-in");
        assertSetting(settings, "slow-call", "\"off\"", "built-in");
        assertSetting(settings, "enabled", "true", "built-in");
        assertSetting(settings, "record-exceptions", "[]", "built-in");
        assertThat(payments.settings().minimumCalls()).isEqualTo(7);
    }

    @Test
    void detailShowsFailuresAndTransitionsNewestFirstAndTheCallsOfThisInstance() {
        Breaker post = service.breaker("post");
        post.run(() -> {});
        service.fail(post, 1, "first");
        service.fail(post, 2, "<script>alert(1)</script>");
        await().until(() -> post.state() == BreakerState.HALF_OPEN);
        service.fail(post, 1, "probe");

        JsonNode detail = detail("post");

        assertThat(detail.path("recentFailures").valueStream().map(f -> f.path("message").asString()))
                .containsExactly("probe", "<script>alert(1)</script>", "<script>alert(1)</script>", "first");
        JsonNode failure = detail.path("recentFailures").path(0);
        assertThat(failure.propertyNames()).containsExactly("at", "error", "message", "instance", "durationMs");
        assertThat(failure.path("error").asString()).isEqualTo("java.lang.IllegalStateException");
        assertThat(failure.path("instance").asString()).isEqualTo("web-1");
        assertThat(detail.path("transitions").valueStream().map(t -> t.path("from").asString() + ">" + t.path("to").asString()))
                .containsExactly("HALF_OPEN>OPEN", "OPEN>HALF_OPEN", "CLOSED>OPEN");
        assertThat(detail.path("transitions").path(0).propertyNames()).containsExactly("at", "from", "to", "reason", "instance");
        assertThat(detail.path("calls").toString())
                .isEqualTo("{\"succeeded\":1,\"failed\":4,\"ignored\":0,\"slow\":0,\"rejected\":0}");
    }

    @Test
    void locksHoldUntilUnlocked() {
        Breaker breaker = service.breaker("catalog");

        assertThat(act("catalog", "lock-open").path("lock").asString()).isEqualTo("OPEN");
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        assertThat(act("catalog", "lock-closed").path("lock").asString()).isEqualTo("CLOSED");
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(act("catalog", "unlock").path("lock").isNull()).isTrue();
        assertThat(breaker.lastSeen().lock()).isNull();
    }

    @Test
    void resetTurnsARedLightGreen() {
        Breaker payments = service.breaker("payments");
        service.fail(payments, 2, "down");

        JsonNode after = act("payments", "reset");

        assertThat(after.path("color").asString()).isEqualTo("green");
        assertThat(after.path("failures").asInt()).isZero();
        assertThat(payments.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void changedSettingIsUsedForTheNextDecisionUntilItIsCleared() {
        Breaker payments = service.breaker("payments");

        JsonNode changed = change("payments", """
                {"action":"configure","threshold":4,"cool-off":"30s","coolOffMultiplier":"2.5","mode":"count","slow-call":"off",
                 "ignore-exceptions":"java.io.IOException, java.lang.IllegalArgumentException","record-messages":false}""");

        assertSetting(changed.path("settings"), "threshold", "4", "runtime");
        assertSetting(changed.path("settings"), "cool-off", "\"30s\"", "runtime");
        assertSetting(changed.path("settings"), "cool-off-multiplier", "2.5", "runtime");
        assertSetting(
                changed.path("settings"), "ignore-exceptions", "[\"java.io.IOException\",\"java.lang.IllegalArgumentException\"]", "runtime");
        service.fail(payments, 3, "down");
        assertThat(payments.state()).isEqualTo(BreakerState.CLOSED);
        service.fail(payments, 1, "down");
        assertThat(payments.state()).isEqualTo(BreakerState.OPEN);

        JsonNode cleared = act("payments", "clear-overrides");
        assertSetting(cleared.path("settings"), "threshold", "2", "yml");
        assertSetting(cleared.path("settings"), "record-messages", "true", "built-in");
    }

    @Test
    void keySaysWhichOfItsChangesAreItsOwnAndWhichItsNames() {
        service.breaker("quotes");
        service.breaker("quotes", "acme");
        change("quotes", "{\"action\":\"configure\",\"threshold\":4,\"minimum-calls\":7}");
        change("quotes:acme", "{\"action\":\"configure\",\"threshold\":5}");

        JsonNode settings = detail("quotes:acme").path("settings");

        assertThat(settings.path("threshold").toString()).isEqualTo("{\"value\":5,\"source\":\"runtime\"}");
        assertThat(settings.path("minimum-calls").toString()).isEqualTo("{\"value\":7,\"source\":\"runtime\",\"of\":\"quotes\"}");
        assertThat(detail("quotes").path("settings").path("minimum-calls").has("of")).isFalse();
    }

    @Test
    void oneKeyCanBeSwitchedOffAlone() {
        Breaker acme = service.breaker("quotes", "acme");
        Breaker other = service.breaker("quotes", "other");

        change("quotes:acme", "{\"action\":\"configure\",\"enabled\":false}");
        service.fail(acme, 5, "down");
        service.fail(other, 3, "down");

        assertThat(acme.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(other.state()).isEqualTo(BreakerState.OPEN);
        assertThat(ids(list(""))).containsExactly("quotes:other", "quotes", "quotes:acme");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"action\":\"explode\"} | action must be one of lock-open, lock-closed, unlock, reset, configure, clear-overrides, was explode",
                "{} | action must be one of lock-open, lock-closed, unlock, reset, configure, clear-overrides, was null",
                "{\"action\":\"configure\"} | configure needs at least one setting; allowed are enabled, mode,",
                "{\"action\":\"configure\",\"treshold\":3} | unknown setting 'treshold'; allowed are enabled, mode, threshold",
                "{\"action\":\"configure\",\"threshold\":0} | threshold must be at least 1, was 0",
                "{\"action\":\"configure\",\"threshold\":null} | threshold must be a whole number, was null",
                "{\"action\":\"configure\",\"cool-off\":\"soon\"} | cool-off must be a duration such as 500ms, 30s, 5m or PT1M, was soon",
                "{\"action\":\"configure\",\"mode\":\"magic\"} | mode must be one of consecutive, count, rate, was magic",
                "{\"action\":\"configure\",\"ignore-exceptions\":\"com.example.Nothing\"} | ignore-exceptions must list classes of this application, was com.example.Nothing",
                "{\"action\":\"configure\",\"record-exceptions\":\"java.lang.String\"} | record-exceptions must list exceptions, was java.lang.String",
                "{\"action\":\"reset\",\"threshold\":3} | reset takes no settings, was given threshold"
            })
    void badChangeIsRefusedAndChangesNothing(String body, String detail) {
        service.breaker("payments");

        assertRefused(service.post(PATH + "/payments", body), 400, detail);

        JsonNode after = detail("payments");
        assertThat(after.path("lock").isNull()).isTrue();
        assertThat(after.path("settings").valueStream().map(s -> s.path("source").asString())).doesNotContain("runtime");
    }

    @Test
    void bodyThatIsNoJsonObjectIsRefused() {
        service.breaker("payments");

        assertThat(service.post(PATH + "/payments", "lock it").statusCode()).isEqualTo(400);
        assertThat(service.post(PATH + "/payments", "[]").statusCode()).isEqualTo(400);
        HttpRequest.Builder form = HttpRequest.newBuilder(URI.create(service.url(PATH + "/payments")))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("{\"action\":\"lock-open\"}"));
        assertThat(service.send(form).statusCode()).isEqualTo(415);
        assertThat(detail("payments").path("lock").isNull()).isTrue();
    }

    @Test
    void unknownIdIsNotFoundAndNothingIsCreated() {
        String lock = "{\"action\":\"lock-open\"}";

        assertRefused(service.get(PATH + "/nobody"), 404, "no breaker has the id 'nobody'");
        assertRefused(service.post(PATH + "/nobody", lock), 404, "no breaker has the id 'nobody'");
        assertRefused(service.delete(PATH + "/nobody"), 404, "no breaker has the id 'nobody'");
        service.breaker("quotes");
        assertRefused(service.post(PATH + "/quotes:nobody", lock), 404, "no breaker has the id 'quotes:nobody'");
        assertThat(ids(list(""))).containsExactly("quotes");
    }

    @Test
    void forgottenBreakerIsGoneUntilItsNextCall() {
        Breaker payments = service.breaker("payments");
        payments.lock(BreakerLock.OPEN);

        HttpResponse<String> deleted = service.delete(PATH + "/payments");

        assertThat(deleted.statusCode()).isEqualTo(204);
        assertThat(deleted.body()).isEmpty();
        assertThat(service.get(PATH + "/payments").statusCode()).isEqualTo(404);
        payments.run(() -> {});
        assertThat(detail("payments").path("color").asString()).isEqualTo("green");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b/c", "with space", "10:30", "{braces}", "grün-Ω-灯", "100%", "a+b", "a?b#c&d=e", "<b>\"quoted\"'"})
    void idIsTheRestOfThePath(String key) {
        String id = "quotes:" + key;
        service.fail(service.breaker("quotes", key), 1, "down");
        StringBuilder path = new StringBuilder();
        for (String segment : id.split("/")) {
            path.append('/').append(encode(segment));
        }

        assertThat(service.get(PATH + path)).satisfies(response -> {
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(ServiceInstance.json(response).path("key").asString()).isEqualTo(key);
        });
        assertThat(service.post(PATH + path, "{\"action\":\"lock-open\"}").statusCode()).isEqualTo(200);
        assertThat(service.breaker("quotes", key).lastSeen().lock()).isEqualTo(BreakerLock.OPEN);
        assertThat(service.delete(PATH + path).statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://api.example.com//v1", "a;b=c", "back\\slash", " spaces ", "/", "line\nbreak"})
    void idThatNoPathCanCarryIsAParameter(String key) {
        service.fail(service.breaker("quotes", key), 1, "down");
        String query = "?id=" + encode("quotes:" + key);

        assertThat(ServiceInstance.json(service.get(PATH + query)).path("key").asString()).isEqualTo(key);
        assertThat(service.post(PATH + query, "{\"action\":\"lock-open\"}").statusCode()).isEqualTo(200);
        assertThat(service.breaker("quotes", key).lastSeen().lock()).isEqualTo(BreakerLock.OPEN);
        assertThat(service.delete(PATH + query).statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "path"})
    void requestNeverReachesAnotherBreakerThanTheOneInItsPath(String name) {
        service.breaker("payments");
        service.breaker("risk").lock(BreakerLock.CLOSED);
        String refusal = "the id is in the path";
        String url = PATH + "/payments?" + name + "=risk";

        assertRefused(service.get(url), 400, refusal);
        assertRefused(service.get(url + "&" + name + "=risk"), 400, refusal);
        assertRefused(service.post(url, "{\"action\":\"lock-open\"}"), 400, refusal);
        assertRefused(service.delete(url), 400, refusal);
        for (String value : List.of("\"risk\"", "null", "[\"risk\"]")) {
            HttpResponse<String> response = service.post(PATH + "/payments", "{\"action\":\"lock-open\",\"" + name + "\":" + value + "}");
            assertThat(response.statusCode()).as(value).isEqualTo(400);
        }
        assertThat(service.breaker("risk").lastSeen().lock()).isEqualTo(BreakerLock.CLOSED);
        assertThat(service.breaker("payments").lastSeen().lock()).isNull();
        assertThat(ids(list(""))).containsExactly("payments", "risk");
    }

    @Test
    void changeWithoutAnIdSaysWhatIsMissing() {
        assertRefused(service.post(PATH, "{\"action\":\"lock-open\"}"), 400, "the parameter id is missing");
        assertRefused(service.delete(PATH), 400, "the parameter id is missing");
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private JsonNode list(String query) {
        HttpResponse<String> response = service.get(PATH + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return ServiceInstance.json(response);
    }

    private static List<String> ids(JsonNode list) {
        return list.path("breakers").valueStream().map(b -> b.path("id").asString()).toList();
    }

    private JsonNode detail(String id) {
        HttpResponse<String> response = service.get(PATH + "/" + id);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return ServiceInstance.json(response);
    }

    private JsonNode act(String id, String action) {
        return change(id, "{\"action\":\"" + action + "\"}");
    }

    private JsonNode change(String id, String body) {
        HttpResponse<String> response = service.post(PATH + "/" + id, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return ServiceInstance.json(response);
    }

    private static void assertSetting(JsonNode settings, String name, String value, String source) {
        assertThat(settings.path(name).path("value").toString()).as(name).isEqualTo(value);
        assertThat(settings.path(name).path("source").asString()).as(name).isEqualTo(source);
    }

    private static void assertRefused(HttpResponse<String> response, int status, String detail) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(ServiceInstance.json(response).path("detail").asString()).startsWith(detail);
    }
}
