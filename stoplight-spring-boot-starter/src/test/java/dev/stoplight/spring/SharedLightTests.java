package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Two applications in one JVM that share their lights through a real Redis. */
class SharedLightTests {

    static class Quotes {

        private volatile boolean down;

        @CircuitBreaker(name = "quotes", threshold = 2, coolOff = "${cool-off:1m}", fallback = "spare")
        public String quote(String symbol) {
            if (down) {
                throw new IllegalStateException("no quotes");
            }
            return symbol;
        }

        private String spare(String symbol, IllegalStateException cause) {
            throw cause;
        }

        public void setDown(boolean down) {
            this.down = down;
        }

        @CircuitBreaker(name = "keyed", key = "#p0")
        public String keyed(String key) {
            return key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final Queue<BreakerEvent> events = new ConcurrentLinkedQueue<>();

        @Bean
        Quotes quotes() {
            return new Quotes();
        }

        @EventListener
        void on(BreakerEvent event) {
            events.add(event);
        }
    }

    private static RedisServerProcess redis;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> connection;

    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = new RedisServerProcess();
        client = RedisClient.create(redis.uri());
        connection = client.connect();
    }

    @AfterAll
    static void stopRedis() {
        client.shutdown();
        redis.close();
    }

    @BeforeEach
    void empty() {
        connection.sync().flushall();
    }

    @AfterEach
    void closeContexts() {
        contexts.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(String instance, String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.data.redis.port=" + redis.port(),
                        // A busy machine is no outage.
                        "stoplight.redis.timeout=5s",
                        "stoplight.instance-id=" + instance,
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false")
                .properties(properties)
                .run();
        contexts.add(context);
        return context;
    }

    private static Breaker breaker(ConfigurableApplicationContext context) {
        return Contexts.breaker(context, "quotes");
    }

    @Test
    void failuresOnBothInstancesAddUpAndBothSeeTheSameLight() {
        ConfigurableApplicationContext one = start("one");
        ConfigurableApplicationContext two = start("two");
        one.getBean(Quotes.class).setDown(true);
        two.getBean(Quotes.class).setDown(true);

        assertThatIllegalStateException().isThrownBy(() -> one.getBean(Quotes.class).quote("x"));
        assertThat(breaker(one).state()).isEqualTo(BreakerState.CLOSED);
        assertThatIllegalStateException().isThrownBy(() -> two.getBean(Quotes.class).quote("x"));

        assertThat(breaker(two).state()).isEqualTo(BreakerState.OPEN);
        await().until(() -> breaker(one).state() == BreakerState.OPEN);
        assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> one.getBean(Quotes.class).quote("x"));
    }

    @Test
    void everyInstanceHearsOfATransitionAndExactlyOneOwnsIt() {
        ConfigurableApplicationContext one = start("one");
        ConfigurableApplicationContext two = start("two");
        one.getBean(Quotes.class).setDown(true);
        for (int i = 0; i < 2; i++) {
            assertThatIllegalStateException().isThrownBy(() -> one.getBean(Quotes.class).quote("x"));
        }

        await().until(() -> transitions(one).size() == 1 && transitions(two).size() == 1);
        assertThat(transitions(one)).singleElement().satisfies(event -> {
            assertThat(event.own()).isTrue();
            assertThat(event.transition().instance()).isEqualTo("one");
            assertThat(event.transition().to()).isEqualTo(BreakerState.OPEN);
        });
        assertThat(transitions(two)).singleElement().satisfies(event -> assertThat(event.own()).isFalse());
    }

    private static List<BreakerEvent.Transitioned> transitions(ConfigurableApplicationContext context) {
        return context.getBean(Application.class).events.stream()
                .filter(BreakerEvent.Transitioned.class::isInstance)
                .map(BreakerEvent.Transitioned.class::cast)
                .toList();
    }

    @Test
    void theLightRecoversForBothWhenOneProbeSucceeds() {
        ConfigurableApplicationContext one = start("one", "cool-off=200ms");
        ConfigurableApplicationContext two = start("two", "cool-off=200ms");
        one.getBean(Quotes.class).setDown(true);
        for (int i = 0; i < 2; i++) {
            assertThatIllegalStateException().isThrownBy(() -> one.getBean(Quotes.class).quote("x"));
        }
        await().until(() -> breaker(two).state() == BreakerState.HALF_OPEN);

        assertThat(two.getBean(Quotes.class).quote("y")).isEqualTo("y");
        await().until(() -> breaker(one).state() == BreakerState.CLOSED);
    }

    /** BEHAVIOURS 19, across instances. */
    @Test
    void aRunTimeChangeOverridesYmlWhichOverridesTheAnnotationOnEveryInstanceAndAfterARestart() {
        ConfigurableApplicationContext one = start("one", "stoplight.breakers.quotes.threshold=5");
        ConfigurableApplicationContext two = start("two", "stoplight.breakers.quotes.threshold=5");
        assertThat(breaker(one).settings().threshold()).isEqualTo(5);
        assertThat(source(one)).isEqualTo(SettingSource.YML);

        breaker(one).configure(BreakerSettings.builder().threshold(8).build());
        await().until(() -> breaker(two).settings().threshold() == 8);
        assertThat(source(two)).isEqualTo(SettingSource.RUNTIME);

        ConfigurableApplicationContext restarted = start("three");
        await().until(() -> breaker(restarted).settings().threshold() == 8);
        breaker(restarted).clearOverrides();
        await().until(() -> breaker(two).settings().threshold() == 5);
        assertThat(breaker(restarted).settings().threshold()).isEqualTo(2);
        assertThat(source(restarted)).isEqualTo(SettingSource.ANNOTATION);
    }

    private static SettingSource source(ConfigurableApplicationContext context) {
        return context.getBean(BreakerSettingsSources.class).sources(breaker(context)).get(BreakerSetting.THRESHOLD);
    }

    @Test
    void applicationsWithDifferentPrefixesShareNothing() {
        ConfigurableApplicationContext one = start("one", "stoplight.key-prefix=blue");
        ConfigurableApplicationContext two = start("two", "stoplight.key-prefix=green");
        breaker(one).lock(BreakerLock.OPEN);

        assertThat(connection.sync().keys("blue:*")).isNotEmpty();
        assertThat(connection.sync().keys("stoplight:*")).isEmpty();
        assertThat(breaker(two).snapshot().lock()).isNull();
    }

    /** BEHAVIOURS 21. */
    @Test
    void tenThousandGreenKeysLeaveNothingInRedis() {
        ConfigurableApplicationContext one = start("one");
        Quotes quotes = one.getBean(Quotes.class);
        for (int i = 0; i < 10_000; i++) {
            quotes.keyed("client-" + i);
        }

        assertThat(one.getBean(BreakerRegistry.class).breakers().filter(breaker -> breaker.key() != null)).hasSize(10_000);
        assertThat(connection.sync().dbsize()).isZero();
    }

    @Test
    void theConnectionsHaveANameAndGoWithTheContext() {
        ConfigurableApplicationContext one = start("one");
        assertThat(connection.sync().clientList()).contains("name=stoplight");

        one.close();
        await().until(() -> !connection.sync().clientList().contains("name=stoplight"));
    }

    @Test
    void anApplicationStartsWithoutRedisAndJoinsWhenItAppears() {
        RedisServerProcess late = new RedisServerProcess();
        late.kill();
        try (ConfigurableApplicationContext alone = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(Map.of("spring.data.redis.port", late.port(), "stoplight.redis.heartbeat", "100ms"))
                .run()) {
            assertThat(alone.getBean(Quotes.class).quote("x")).isEqualTo("x");
            assertThat(alone.getBean(BreakerRegistry.class).storeStatus().up()).isFalse();

            late.restart();
            await().until(() -> alone.getBean(BreakerRegistry.class).storeStatus().up());
            await().until(() -> alone.getBean(Application.class).events.stream().anyMatch(BreakerEvent.StoreUp.class::isInstance));
            assertThat(alone.getBean(Application.class).events).hasAtLeastOneElementOfType(BreakerEvent.StoreDown.class);
        } finally {
            late.close();
        }
    }
}
