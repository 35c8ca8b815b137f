package dev.stoplight.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little that differs between a single server, Sentinel and Cluster. */
interface Connector {

    /** How many commands may wait for an answer; more means that Redis does not keep up. */
    int REQUEST_QUEUE = 50_000;

    /** The longest to wait for one server, so that of a Cluster's servers one that hangs does not hide the others. */
    Duration CONNECT_LIMIT = Duration.ofSeconds(1);

    System.Logger LOG = System.getLogger(Connector.class.getName());

    Pattern DATABASE = Pattern.compile("\\bdb=(\\d+)");

    /** A connection for commands and what to call on it. */
    record Commands(StatefulConnection<String, String> connection, RedisClusterAsyncCommands<String, String> async) {}

    Commands connect();

    StatefulRedisPubSubConnection<String, String> connectPubSub();

    /** The number of the database that these commands use; Redis itself is asked, because the client does not tell. */
    int database(RedisClusterAsyncCommands<String, String> commands, Duration limit);

    /** Fails fast: no command waits for a connection, none is repeated after one came back. The store reconnects by itself. */
    static Connector of(AbstractRedisClient client) {
        if (client instanceof RedisClient single) {
            return new Single(single);
        }
        if (client instanceof RedisClusterClient cluster) {
            return new Cluster(cluster);
        }
        throw new IllegalArgumentException("client must be a RedisClient or a RedisClusterClient, was " + client.getClass().getName());
    }

    /** One server, or the master that Sentinel names. */
    record Single(RedisClient client) implements Connector {

        public Single {
            client.setOptions(failFast(client.getOptions()).build());
        }

        @Override
        public Commands connect() {
            StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
            return new Commands(connection, connection.async());
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
        }

        @Override
        public int database(RedisClusterAsyncCommands<String, String> commands, Duration limit) {
            try {
                Matcher database = DATABASE.matcher(Link.await(commands.clientInfo(), limit));
                return database.find() ? Integer.parseInt(database.group(1)) : 0;
            } catch (RedisCommandExecutionException e) {
                LOG.log(Level.WARNING, "Redis does not tell its database, which is taken for the first one: {0}", e.getMessage());
                return 0;
            }
        }
    }

    /** A Cluster; a script goes to the node that has the breaker's slot. */
    record Cluster(RedisClusterClient client) implements Connector {

        public Cluster {
            client.setOptions(ClusterClientOptions.builder(failFast(client.getOptions()).build())
                    .validateClusterNodeMembership(false)
                    .build());
        }

        @Override
        public Commands connect() {
            client.refreshPartitions();
            StatefulRedisClusterConnection<String, String> connection = client.connect(StringCodec.UTF8);
            return new Commands(connection, connection.async());
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
        }

        /** A Cluster has but one. */
        @Override
        public int database(RedisClusterAsyncCommands<String, String> commands, Duration limit) {
            return 0;
        }
    }

    private static ClientOptions.Builder failFast(ClientOptions options) {
        SocketOptions socket = options.getSocketOptions();
        if (socket.getConnectTimeout().compareTo(CONNECT_LIMIT) > 0) {
            socket = socket.mutate().connectTimeout(CONNECT_LIMIT).build();
        }
        return options.mutate()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(REQUEST_QUEUE)
                .socketOptions(socket);
    }
}
