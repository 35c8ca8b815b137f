package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerSettings;
import dev.stoplight.CircuitOpenException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The other JVM of {@link Propagation}: it follows the light, or a bare subscription, and says when it noticed. It reads one
 * word for each task from its standard input and answers {@code ready} and then the time.
 */
final class Follower {

    static final String BREAKER = "followed";
    static final String CHANNEL = "bare";

    private final Breaker breaker;
    private volatile long heard;

    private Follower(Breaker breaker) {
        this.breaker = breaker;
    }

    public static void main(String[] args) throws Exception {
        RedisClient client = RedisClient.create(args[0]);
        try (Node node = new Node(args[0], BreakerSettings.builtIn());
                StatefulRedisPubSubConnection<String, String> subscription = client.connectPubSub()) {
            Follower follower = new Follower(node.registry.breaker(BREAKER));
            subscription.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    follower.heard++;
                }
            });
            subscription.sync().subscribe(CHANNEL);
            follower.obey(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
        } finally {
            client.shutdown();
        }
    }

    private void obey(BufferedReader tasks) throws Exception {
        for (String task = tasks.readLine(); task != null; task = tasks.readLine()) {
            switch (task) {
                case "clock" -> answer(System.nanoTime());
                case "light" -> {
                    while (rejects()) {
                        Thread.yield();
                    }
                    ready();
                    while (!rejects()) {
                        Thread.yield();
                    }
                    answer(System.nanoTime());
                }
                case "message" -> {
                    long before = heard;
                    ready();
                    while (heard == before) {
                        Thread.yield();
                    }
                    answer(System.nanoTime());
                }
                default -> throw new IllegalArgumentException("unknown task '" + task + "'");
            }
        }
    }

    private boolean rejects() {
        try {
            breaker.run(() -> {});
            return false;
        } catch (CircuitOpenException rejected) {
            return true;
        }
    }

    private static void ready() {
        System.out.println("ready");
    }

    private static void answer(long nanos) {
        System.out.println(nanos);
    }
}
