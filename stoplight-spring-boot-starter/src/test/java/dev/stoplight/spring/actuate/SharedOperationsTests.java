package dev.stoplight.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** Operating several instances that share a Redis: one on Spring MVC, one on WebFlux. */
class SharedOperationsTests {

    private static final String PATH = "/actuator/stoplight/";

    private final RedisServerProcess redis = new RedisServerProcess();
    private final List<RedisClient> clients = new ArrayList<>();
    private ServiceInstance one;
    private ServiceInstance two;

    @BeforeEach
    void start() {
        one = instance(WebApplicationType.SERVLET, "one");
        two = instance(WebApplicationType.REACTIVE, "two");
    }

    private ServiceInstance instance(WebApplicationType type, String id) {
        RedisClient client = RedisClient.create(redis.uri());
        clients.add(client);
        RedisBreakerStore store = RedisBreakerStore.builder(client).timeout(Duration.ofSeconds(2)).heartbeat(Duration.ofMillis(100)).connect();
        return ServiceInstance.start(type, store, "stoplight.instance-id=" + id);
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
        clients.forEach(RedisClient::shutdown);
        redis.close();
    }

    @Test
    void whatIsChangedThroughOneInstanceHoldsOnTheOther() {
        Breaker there = two.breaker("payments");
        one.breaker("payments");

        assertOk(one.post(PATH + "payments", "{\"action\":\"lock-open\"}"));
        await().until(() -> there.lastSeen().lock() == BreakerLock.OPEN);
        assertThat(detail(two, "payments").path("lock").asString()).isEqualTo("OPEN");

        assertOk(one.post(PATH + "payments", "{\"action\":\"unlock\"}"));
        assertOk(one.post(PATH + "payments", "{\"action\":\"configure\",\"threshold\":1}"));
        await().until(() -> there.settings().threshold() == 1);
        two.fail(there, 1, "down");
        assertThat(there.state()).isEqualTo(BreakerState.OPEN);
        assertThat(detail(one, "payments").path("color").asString()).isEqualTo("red");

        assertOk(one.post(PATH + "payments", "{\"action\":\"reset\"}"));
        await().until(() -> there.state() == BreakerState.CLOSED);

        assertOk(one.post(PATH + "payments", "{\"action\":\"clear-overrides\"}"));
        await().until(() -> there.settings().threshold() == 3);
    }

    @Test
    void keyInUseOnlyOnTheOtherInstanceCanBeSeenAndChanged() {
        one.breaker("quotes");
        Breaker acme = two.breaker("quotes", "acme");
        two.fail(acme, 3, "down");

        JsonNode detail = detail(one, "quotes:acme");
        assertThat(detail.path("key").asString()).isEqualTo("acme");
        assertThat(detail.path("color").asString()).isEqualTo("red");
        assertThat(detail.path("recentFailures").path(0).path("instance").asString()).isEqualTo("two");
        assertThat(ids(one)).containsExactly("quotes:acme", "quotes");

        assertOk(one.post(PATH + "quotes:acme", "{\"action\":\"configure\",\"enabled\":false}"));
        await().until(() -> !acme.settings().enabled());
        acme.run(() -> {});
        assertThat(one.bean(BreakerRegistry.class).find("quotes", "acme")).as("not in use here").isEmpty();

        assertThat(one.delete(PATH + "quotes:acme").statusCode()).isEqualTo(204);
        assertThat(one.get(PATH + "quotes:acme").statusCode()).isEqualTo(404);
    }

    @Test
    void failuresOnTheOtherInstanceAreCounted() {
        one.breaker("quotes", "acme").run(() -> {});
        one.post(PATH + "quotes", "{\"action\":\"configure\",\"mode\":\"count\"}");
        Breaker there = two.breaker("quotes", "acme");
        await().until(() -> there.settings().mode().name().equals("COUNT"));
        two.fail(there, 2, "down");

        JsonNode list = ServiceInstance.json(one.get("/actuator/stoplight?search=acme"));

        assertThat(list.path("breakers").path(0).path("failures").asInt()).isEqualTo(2);
    }

    @Test
    void ofVeryManyKeysInUseElsewhereTheLatestAreListedAndEachCanBeSeen() {
        one.breaker("quotes");
        for (int i = 0; i < 600; i++) {
            two.fail(two.breaker("quotes", "client-" + i), 1, "down");
        }

        JsonNode list = ServiceInstance.json(one.get("/actuator/stoplight?search=client"));

        assertThat(list.path("page").toString()).isEqualTo("{\"number\":0,\"size\":100,\"total\":500,\"complete\":false}");
        assertThat(ids(one, "?search=client-599")).containsExactly("quotes:client-599");
        assertThat(ids(one, "?search=client-0")).isEmpty();
        assertThat(detail(one, "quotes:client-0").path("failures").asInt()).isEqualTo(1);
        assertThat(one.get(PATH + "quotes:nobody").statusCode()).isEqualTo(404);
        assertThat(list.path("store").path("status").asString()).isEqualTo("UP");
    }

    @Test
    void whatWasChangedSurvivesARestartOfEveryInstance() {
        one.breaker("payments");
        one.breaker("ledger");
        assertOk(one.post(PATH + "payments", "{\"action\":\"configure\",\"threshold\":9,\"enabled\":false}"));
        assertOk(one.post(PATH + "ledger", "{\"action\":\"lock-open\"}"));
        two.fail(two.breaker("mail"), 3, "down");
        one.close();
        two.close();

        start();
        two.breaker("payments");
        two.breaker("ledger");

        JsonNode payments = detail(two, "payments");
        assertThat(payments.path("settings").path("threshold").toString()).isEqualTo("{\"value\":9,\"source\":\"runtime\"}");
        assertThat(payments.path("enabled").asBoolean()).isFalse();
        assertThat(detail(two, "ledger").path("lock").asString()).isEqualTo("OPEN");
        assertThat(ids(one)).as("as the store knows them").startsWith("ledger", "mail");
    }

    @Test
    void whileTheStoreIsDownWritesAreRefusedAndReadsSaySo() {
        Breaker payments = one.breaker("payments");
        one.fail(payments, 3, "down");
        MeterRegistry meters = one.bean(MeterRegistry.class);
        assertThat(meters.get("stoplight.store.up").gauge().value()).isEqualTo(1);
        redis.kill();
        await().until(() -> !one.bean(BreakerRegistry.class).storeStatus().up());

        for (ServiceInstance instance : List.of(one, two)) {
            instance.breaker("payments");
            await().until(() -> !instance.bean(BreakerRegistry.class).storeStatus().up());
            HttpResponse<String> refused = instance.post(PATH + "payments", "{\"action\":\"lock-closed\"}");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(ServiceInstance.json(refused).path("detail").asString()).startsWith("Breaker 'payments' was not changed");
            assertThat(instance.delete(PATH + "payments").statusCode()).isEqualTo(503);
            assertThat(instance.post(PATH + "elsewhere", "{\"action\":\"reset\"}").statusCode()).isEqualTo(503);
            HttpResponse<String> elsewhere = instance.get(PATH + "elsewhere");
            assertThat(elsewhere.statusCode()).isEqualTo(404);
            assertThat(ServiceInstance.json(elsewhere).path("detail").asString())
                    .isEqualTo("no breaker has the id 'elsewhere' on this instance; the store is down, so it may exist elsewhere");
            assertThat(instance.post(PATH + "payments", "{\"action\":\"explode\"}").statusCode()).isEqualTo(400);
        }
        JsonNode detail = detail(one, "payments");
        assertThat(detail.path("store").path("status").asString()).isEqualTo("DOWN");
        assertThat(detail.path("lock").isNull()).isTrue();
        assertThat(detail.path("color").asString()).isEqualTo("red");
        JsonNode list = ServiceInstance.json(one.get("/actuator/stoplight"));
        assertThat(list.path("store").path("status").asString()).isEqualTo("DOWN");
        assertThat(list.path("breakers").path(0).path("color").asString()).isEqualTo("red");

        HttpResponse<String> health = one.get("/actuator/health/stoplight");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(ServiceInstance.json(health).path("status").asString()).isEqualTo("DEGRADED");
        assertThat(ServiceInstance.json(health).path("details").path("since").asString()).startsWith("20");
        assertThat(one.get("/actuator/health").statusCode()).isEqualTo(200);
        assertThat(meters.get("stoplight.store.up").gauge().value()).isZero();

        redis.restart();
        await().untilAsserted(() -> {
            assertThat(ServiceInstance.json(one.get("/actuator/health/stoplight")).path("status").asString()).isEqualTo("UP");
            assertOk(one.post(PATH + "payments", "{\"action\":\"lock-closed\"}"));
        });
        assertThat(meters.get("stoplight.store.commands").timers()).isNotEmpty();
    }

    private static List<String> ids(ServiceInstance instance) {
        return ids(instance, "");
    }

    private static List<String> ids(ServiceInstance instance, String query) {
        JsonNode list = ServiceInstance.json(instance.get("/actuator/stoplight" + query));
        return list.path("breakers").valueStream().map(b -> b.path("id").asString()).toList();
    }

    private static JsonNode detail(ServiceInstance instance, String id) {
        HttpResponse<String> response = instance.get(PATH + id);
        assertOk(response);
        return ServiceInstance.json(response);
    }

    private static void assertOk(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }
}
