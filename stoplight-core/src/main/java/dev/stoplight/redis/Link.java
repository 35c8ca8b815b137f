package dev.stoplight.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One working connection to Redis: one for commands, one for the published changes. It is used until it breaks. */
final class Link {

    private final Connector connector;
    private final Connector.Commands commands;
    private final String channel;
    private final Consumer<String> messages;
    private final Runnable subscriptionLost;
    private volatile StatefulRedisPubSubConnection<String, String> events;
    private volatile boolean closed;

    private Link(
            Connector connector,
            Connector.Commands commands,
            StatefulRedisPubSubConnection<String, String> events,
            String channel,
            Consumer<String> messages,
            Runnable subscriptionLost) {
        this.connector = connector;
        this.commands = commands;
        this.events = events;
        this.channel = channel;
        this.messages = messages;
        this.subscriptionLost = subscriptionLost;
    }

    /** Connects and subscribes, or throws. */
    static Link open(Connector connector, Keys keys, Consumer<String> messages, Runnable subscriptionLost, Duration limit) {
        Connector.Commands commands = within(limit, connector::connect, late -> late.connection().closeAsync());
        try {
            String channel = keys.channel(connector.database(commands.async(), limit));
            StatefulRedisPubSubConnection<String, String> events = connectPubSub(connector, limit);
            Link link = new Link(connector, commands, events, channel, messages, subscriptionLost);
            link.subscribe(events, limit);
            return link;
        } catch (RuntimeException e) {
            commands.connection().closeAsync();
            throw e;
        }
    }

    private static StatefulRedisPubSubConnection<String, String> connectPubSub(Connector connector, Duration limit) {
        return within(limit, connector::connectPubSub, StatefulRedisPubSubConnection::closeAsync);
    }

    /**
     * Connects on a thread of its own, because for a server that hangs Lettuce may wait as long as the client's URI says, which
     * is a minute. A connection that comes after all is closed.
     */
    private static <C> C within(Duration limit, Supplier<C> connect, Consumer<C> close) {
        CompletableFuture<C> connected = CompletableFuture.supplyAsync(connect, task -> {
            Thread thread = new Thread(task, "stoplight-redis-connect");
            thread.setDaemon(true);
            thread.start();
        });
        try {
            return await(connected, limit);
        } catch (RuntimeException e) {
            connected.thenAccept(close);
            throw e;
        }
    }

    String channel() {
        return channel;
    }

    RedisClusterAsyncCommands<String, String> commands() {
        return commands.async();
    }

    /** Tells when the connection for commands is gone. */
    void onDisconnect(Runnable lost) {
        commands.connection().addListener(listener(lost));
        if (!commands.connection().isOpen()) {
            lost.run();
        }
    }

    /** Runs a script, by its digest and only if Redis does not know it by its text. */
    CompletableFuture<String> run(Wire.Call call, String[] keys) {
        RedisClusterAsyncCommands<String, String> async = commands.async();
        CompletionStage<String> known = async.evalsha(call.script().sha(), ScriptOutputType.VALUE, keys, call.arguments());
        return known.exceptionallyCompose(thrown -> unwrap(thrown) instanceof RedisNoScriptException
                        ? async.eval(call.script().source(), ScriptOutputType.VALUE, keys, call.arguments())
                        : CompletableFuture.failedFuture(unwrap(thrown)))
                .toCompletableFuture();
    }

    /** Subscribes anew after the subscription was lost, or throws. */
    void resubscribe(Duration limit) {
        StatefulRedisPubSubConnection<String, String> dead = events;
        StatefulRedisPubSubConnection<String, String> fresh = connectPubSub(connector, limit);
        subscribe(fresh, limit);
        events = fresh;
        dead.closeAsync();
        if (closed) {
            fresh.closeAsync();
            throw new IllegalStateException("the connection was closed");
        }
    }

    private void subscribe(StatefulRedisPubSubConnection<String, String> fresh, Duration limit) {
        fresh.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String on, String message) {
                messages.accept(message);
            }
        });
        try {
            await(fresh.async().subscribe(channel), limit);
        } catch (RuntimeException e) {
            fresh.closeAsync();
            throw e;
        }
        fresh.addListener(listener(() -> {
            if (events == fresh) {
                subscriptionLost.run();
            }
        }));
    }

    /** Whether the subscription answers. */
    CompletionStage<String> pingSubscription() {
        return events.async().ping();
    }

    CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(commands.connection().closeAsync(), events.closeAsync());
    }

    private RedisConnectionStateAdapter listener(Runnable lost) {
        return new RedisConnectionStateAdapter() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                if (!closed) {
                    lost.run();
                }
            }
        };
    }

    static <T> T await(CompletionStage<T> stage, Duration limit) {
        try {
            return stage.toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("no answer within " + limit.toMillis() + "ms", e);
        } catch (ExecutionException e) {
            throw unwrap(e) instanceof RuntimeException runtime ? runtime : new IllegalStateException(unwrap(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return (thrown instanceof CompletionException || thrown instanceof ExecutionException) && cause != null ? cause : thrown;
    }
}
