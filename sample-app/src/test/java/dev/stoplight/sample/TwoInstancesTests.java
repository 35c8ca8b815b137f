package dev.stoplight.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Two instances as separate processes: the second finds the Redis that the first has started. */
final class TwoInstancesTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    private String redis;
    private Instance first;
    private Instance second;

    @BeforeEach
    void start() throws IOException {
        redis = "--sample.redis.port=" + freePort();
        String coolOff = "--stoplight.breakers.payments.cool-off=2s";
        // What takes a while on a busy machine has not failed.
        String slowCall = "--stoplight.defaults.slow-call=10s";
        first = new Instance(redis, coolOff, slowCall);
        second = new Instance(redis, coolOff, slowCall);
    }

    @AfterEach
    void stop() {
        Stream.of(second, first).forEach(Instance::close);
    }

    @Test
    void aBrokenProviderTurnsTheLightRedOnBothAndASingleProbeTurnsItGreenOnBoth() {
        assertThat(first.output()).contains("started by this instance");
        assertThat(second.output()).contains("found running there");
        assertThat(outcome(order(first))).isEqualTo("DONE");
        assertThat(outcome(order(second))).isEqualTo("DONE");

        first.json("PUT", "/provider?error-rate=100");
        for (int i = 0; i < 5; i++) {
            assertThat(outcome(order(first))).isEqualTo("FAILED");
        }
        assertThat(first.light("payments")).isEqualTo("OPEN");
        await().pollInterval(Duration.ofMillis(20)).atMost(SECOND).until(() -> second.light("payments").equals("OPEN"));

        for (Instance instance : List.of(first, second)) {
            JsonNode receipt = order(instance);
            assertThat(outcome(receipt)).isEqualTo("REJECTED");
            assertThat(receipt.path("detail").asString()).startsWith("shipped, and paid later (Breaker 'payments' is OPEN; retry in");
        }

        // A probe that takes a while, so that many calls on both instances meet a yellow light.
        first.json("PUT", "/provider?error-rate=0&latency=300");
        List.of(first, second).forEach(instance -> instance.send("POST", "/traffic"));
        for (Instance instance : List.of(first, second)) {
            await().atMost(LONG).until(() -> instance.light("payments").equals("CLOSED"));
            instance.send("DELETE", "/traffic");
        }

        List<JsonNode> probes = Stream.of(first, second)
                .flatMap(instance -> instance.calls("payments"))
                .filter(call -> call.path("probe").asBoolean())
                .toList();
        assertThat(probes).singleElement().satisfies(probe -> assertThat(probe.path("outcome").asString()).isEqualTo("done"));
        for (Instance instance : List.of(first, second)) {
            assertThat(instance.calls("payments").filter(call -> call.path("outcome").asString().equals("rejected"))).hasSizeGreaterThan(3);
            assertThat(outcome(order(instance))).isEqualTo("DONE");
            assertThat(instance.json("GET", "/actuator/stoplight/payments").path("transitions").valueStream())
                    .extracting(transition -> transition.path("to").asString())
                    .containsExactly("CLOSED", "HALF_OPEN", "OPEN");
        }
    }

    @Test
    void aBrokenMerchantTurnsItsOwnLightRedAndItsCallersGetA503() {
        first.json("PUT", "/provider?broken=bikes");
        for (int i = 0; i < 3; i++) {
            assertThat(first.send("POST", "/payouts/bikes").statusCode()).isEqualTo(502);
        }

        assertThat(second.send("POST", "/payouts/bikes")).satisfies(response -> {
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
            assertThat(response.body()).contains("payouts:bikes");
        });
        assertThat(second.send("POST", "/payouts/books").statusCode()).isEqualTo(200);
        assertThat(second.send("POST", "/payouts/%7Bx%7D").statusCode()).isEqualTo(200);
        assertThat(outcome(second.json("POST", "/risk"))).isEqualTo("DONE");
    }

    @Test
    void theCommandForAnotherInstanceLeadsToTheSameRedis() {
        String command = first.json("GET", "/shop").path("anotherInstance").asString();

        assertThat(command).endsWith("\"-Dspring-boot.run.arguments=--server.port=" + (first.port() + 1) + " " + redis + "\"");
        assertThat(first.output()).contains(command);
    }

    @Test
    void theSecondGoesOnAloneWhenTheFirstEndsAndItsRedisWithIt() {
        first.close();

        await().atMost(LONG).until(() -> !second.json("GET", "/shop").path("redisUp").asBoolean());
        assertThat(outcome(order(second))).isEqualTo("DONE");
        HttpResponse<String> health = second.send("GET", "/actuator/health");
        assertThat(health.body()).contains("DEGRADED");
        assertThat(health.statusCode()).as("a load balancer keeps it").isEqualTo(200);
    }

    @Test
    void theShopWorksBelowAContextPath() {
        try (Instance below = new Instance(redis, "--server.servlet.context-path=/shop-1")) {
            assertThat(outcome(below.json("POST", "/shop-1/orders"))).isEqualTo("DONE");
            assertThat(below.output()).contains("http://localhost:" + below.port() + "/shop-1/stoplight ");
        }
    }

    private static JsonNode order(Instance instance) {
        return instance.json("POST", "/orders");
    }

    private static String outcome(JsonNode receipt) {
        return receipt.path("outcome").asString();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
