package dev.stoplight.redis.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.testing.RecordedEvents;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.awaitility.core.ThrowingRunnable;

/** Instances of a service on real time, each with a client, a store and a registry of its own, under a key prefix of its own. */
public final class Fleet implements AutoCloseable {

    /** Within so long after a fault every instance must agree again. */
    public static final Duration AGREEMENT = Duration.ofSeconds(3);

    /** A time limit that a busy machine does not exceed, for tests that are not about it. */
    public static final Duration PATIENT = Duration.ofSeconds(5);

    /** Threads that all tests share, as starting them for each client takes longer than many a test. */
    public static final ClientResources RESOURCES = ClientResources.builder().ioThreadPoolSize(4).computationThreadPoolSize(2).build();

    /** One instance. */
    public record Instance(String name, AbstractRedisClient client, RedisBreakerStore store, BreakerRegistry registry, RecordedEvents events) {

        public boolean isUp() {
            return registry.storeStatus().up();
        }
    }

    private final String prefix = "fleet-" + UUID.randomUUID();
    private final Supplier<? extends AbstractRedisClient> clients;
    private final UnaryOperator<RedisBreakerStore.Builder> options;
    private final List<Instance> instances = new ArrayList<>();

    public Fleet(Supplier<? extends AbstractRedisClient> clients, UnaryOperator<RedisBreakerStore.Builder> options) {
        this.clients = clients;
        this.options = options;
    }

    /** A fleet that waits patiently for the Redis at that address. */
    public Fleet(String uri) {
        this(() -> RedisClient.create(RESOURCES, uri), store -> store.timeout(PATIENT));
    }

    public String prefix() {
        return prefix;
    }

    /** One more instance. */
    public Instance join() {
        String name = "node-" + (instances.size() + 1);
        AbstractRedisClient client = clients.get();
        RedisBreakerStore store = options.apply(RedisBreakerStore.builder(client).keyPrefix(prefix)).connect();
        RecordedEvents events = new RecordedEvents();
        BreakerRegistry registry = BreakerRegistry.builder().store(store).instance(name).listener(events).build();
        Instance instance = new Instance(name, client, store, registry, events);
        instances.add(instance);
        return instance;
    }

    /** So many more instances, all of them connected: even a busy machine gets round to it. */
    public Fleet join(int count) {
        for (int i = 0; i < count; i++) {
            join();
        }
        eventually(Duration.ofSeconds(30), () -> assertThat(instances).allMatch(Instance::isUp));
        return this;
    }

    public List<Instance> instances() {
        return List.copyOf(instances);
    }

    public Instance instance(int index) {
        return instances.get(index);
    }

    /** The breaker of that name on every instance. */
    public List<Breaker> breakers(String name, BreakerSettings settings) {
        return instances.stream().map(instance -> instance.registry.breaker(name, settings)).toList();
    }

    /** Every instance believes, without asking, that the light is so; and Redis says it too. */
    public void agrees(String name, BreakerState state) {
        eventually(() -> assertThat(instances).allSatisfy(instance -> assertThat(instance.registry.breaker(name).state()).isEqualTo(state)));
        assertThat(instances).allSatisfy(instance -> assertThat(instance.registry.breaker(name).snapshot().state()).isEqualTo(state));
    }

    public void allUp() {
        eventually(() -> assertThat(instances).allMatch(Instance::isUp));
    }

    public void allDown() {
        eventually(() -> assertThat(instances).noneMatch(Instance::isUp));
    }

    @Override
    public void close() {
        instances.forEach(instance -> instance.registry.close());
        instances.forEach(instance -> instance.client.shutdown(Duration.ZERO, PATIENT));
    }

    /** It becomes true in the time in which every instance must agree. */
    public static void eventually(ThrowingRunnable assertion) {
        eventually(AGREEMENT, assertion);
    }

    public static void eventually(Duration limit, ThrowingRunnable assertion) {
        await().ignoreExceptions().atMost(limit).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
    }

    /** Red after three failures in a row, for a minute. */
    public static BreakerSettings.Builder settings() {
        return BreakerSettings.builder().threshold(3).window(Duration.ofMinutes(1)).coolOff(Duration.ofMinutes(1));
    }

    /** What a protected call throws when it fails. */
    public static final class Boom extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public Boom() {
            super("boom", null, false, false);
        }
    }

    public static void fail(Breaker breaker) {
        assertThatThrownBy(() -> breaker.run(() -> {
                    throw new Boom();
                }))
                .isInstanceOf(Boom.class);
    }

    /** Fails until the light is red; after a very short cool-off it may be yellow by now. */
    public static void trip(Breaker breaker) {
        for (int failures = breaker.settings().threshold(); failures > 0 && breaker.state() == BreakerState.CLOSED; failures--) {
            fail(breaker);
        }
        assertThat(breaker.state()).isNotEqualTo(BreakerState.CLOSED);
    }
}
