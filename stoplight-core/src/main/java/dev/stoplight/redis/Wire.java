package dev.stoplight.redis;

import dev.stoplight.BreakerFailure;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import dev.stoplight.store.Failure;
import dev.stoplight.store.Light;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Commands to script arguments, and the scripts' JSON to replies: the only place that knows both. */
final class Wire {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A reply or a message, the breaker that it is about, and Redis' time. */
    record Message(String id, StoreReply reply, long micros) {}

    /** A script with its arguments. */
    record Call(Script script, String[] arguments) {}

    private Wire() {}

    /** Fails where Jackson is missing, which is optional; otherwise that would look as if Redis were. */
    static void load() {
        JSON.createObjectNode();
    }

    static Call encode(StoreRequest request, String channel, String clock) {
        List<String> args = new ArrayList<>(32);
        args.add(clock);
        args.add(channel);
        args.add(request.id());
        args.add(request.instance());
        settings(args, request.settings());
        Script script = command(args, request);
        return new Call(script, args.toArray(String[]::new));
    }

    private static void settings(List<String> args, BreakerSettings settings) {
        args.add(settings.mode().name().toLowerCase(Locale.ROOT));
        args.add(Integer.toString(settings.threshold()));
        args.add(millis(settings.window()));
        args.add(millis(settings.coolOff()));
        args.add(Double.toString(settings.coolOffMultiplier()));
        args.add(millis(settings.maxCoolOff()));
        args.add(Double.toString(settings.failureRate()));
        args.add(Integer.toString(settings.minimumCalls()));
        args.add(millis(settings.maxAverageLatency().orElse(Duration.ZERO)));
        args.add(Integer.toString(settings.minimumInstances()));
        args.add(Integer.toString(settings.halfOpenCalls()));
        args.add(millis(settings.probeTimeout()));
        args.add(Integer.toString(settings.recoveryThreshold()));
    }

    private static Script command(List<String> args, StoreRequest request) {
        StoreCommand command = request.command();
        if (command instanceof StoreCommand.Record c) {
            add(args, c.epoch(), failure(c.failure(), request.instance()), cause(c.failure()));
            add(args, c.failure().durationMicros(), c.counted().calls(), c.counted().latencyMicros());
            return Script.RECORD;
        } else if (command instanceof StoreCommand.Count c) {
            add(args, c.epoch(), c.counted().calls(), c.counted().latencyMicros());
            return Script.COUNT;
        } else if (command instanceof StoreCommand.Clear c) {
            add(args, c.epoch());
            return Script.CLEAR;
        } else if (command instanceof StoreCommand.Acquire c) {
            add(args, c.lease());
            return Script.ACQUIRE;
        } else if (command instanceof StoreCommand.Settle c) {
            Failure failure = c.failure();
            add(args, c.epoch(), c.lease(), c.verdict());
            add(args, failure == null ? "" : failure(failure, request.instance()), failure == null ? "" : cause(failure));
            return Script.SETTLE;
        } else if (command instanceof StoreCommand.Read c) {
            add(args, c.details() ? "1" : "0");
            return Script.READ;
        } else if (command instanceof StoreCommand.Restore c) {
            Light light = c.light();
            add(args, light.worthRestoring() ? "1" : "0", light.state(), light.epoch(), light.sinceMillis());
            add(args, light.remainingMillis(), light.trips(), light.lock() == null ? "" : light.lock());
            c.overrides().forEach((name, value) -> add(args, name, value));
            return Script.RESTORE;
        } else if (command instanceof StoreCommand.Lock c) {
            add(args, c.lock() == null ? "UNLOCK" : "LOCK_" + c.lock());
        } else if (command instanceof StoreCommand.Reset) {
            add(args, "RESET");
        } else if (command instanceof StoreCommand.Configure c) {
            add(args, c.replace() ? "RECONFIGURE" : "CONFIGURE");
            c.changes().forEach((name, value) -> add(args, name, value));
        } else if (command instanceof StoreCommand.Forget) {
            add(args, "FORGET");
        } else {
            throw new IllegalStateException("no script for " + command);
        }
        return Script.ADMIN;
    }

    private static void add(List<String> args, Object... values) {
        for (Object value : values) {
            args.add(value.toString());
        }
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    /** The member of the sorted set. Its call id makes it unique even among failures of one moment. */
    private static String failure(Failure failure, String instance) {
        ObjectNode json = JSON.createObjectNode();
        json.put("id", failure.callId());
        json.put("error", failure.error());
        if (failure.message() != null) {
            json.put("message", failure.message());
        }
        json.put("instance", instance);
        json.put("durationMs", failure.durationMicros() / 1000);
        return json.toString();
    }

    private static String cause(Failure failure) {
        return " (" + failure.error() + (failure.message() == null ? "" : ": " + failure.message()) + ")";
    }

    static Message decode(String json, LongUnaryOperator stamp) {
        JsonNode node = JSON.readTree(json);
        long micros = Long.parseLong(text(node, "stamp"));
        Light light = new Light(
                BreakerState.valueOf(text(node, "state")),
                Long.parseLong(text(node, "epoch")),
                node.path("since").asLong(0),
                node.path("remaining").asLong(0),
                node.path("trips").asInt(0),
                node.hasNonNull("lock") ? BreakerLock.valueOf(text(node, "lock")) : null,
                node.path("failures").asInt(0),
                node.path("probes").asInt(0),
                node.path("successes").asInt(0),
                node.path("near").asBoolean(false),
                stamp.applyAsLong(micros));
        String instance = text(node, "instance");
        StoreReply reply = new StoreReply(
                light,
                node.path("accepted").asBoolean(false),
                instance,
                node.hasNonNull("transition") ? transition(node.path("transition")) : null,
                node.hasNonNull("overrides") ? overrides(node.path("overrides")) : null,
                node.hasNonNull("past") ? details(node) : null,
                node.path("forgotten").asBoolean(false));
        return new Message(text(node, "id"), reply, micros);
    }

    /** Redis' time, when that is its refusal of a command that came too late; otherwise null. */
    static @Nullable Long late(Throwable thrown) {
        String message = thrown.getMessage();
        return thrown instanceof RedisCommandExecutionException && message != null && message.startsWith("LATE ")
                ? Long.valueOf(message.substring(5))
                : null;
    }

    private static StoreReply.Details details(JsonNode node) {
        List<BreakerFailure> failures = new ArrayList<>();
        for (JsonNode entry : node.path("recent")) {
            JsonNode failure = JSON.readTree(text(entry, "failure"));
            failures.add(new BreakerFailure(
                    Instant.ofEpochMilli(entry.path("at").asLong(0)),
                    text(failure, "error"),
                    failure.hasNonNull("message") ? text(failure, "message") : null,
                    text(failure, "instance"),
                    failure.path("durationMs").asLong(0)));
        }
        List<BreakerTransition> transitions = new ArrayList<>();
        for (JsonNode entry : node.path("past")) {
            transitions.add(transition(JSON.readTree(entry.asString(""))));
        }
        return new StoreReply.Details(failures, transitions);
    }

    private static BreakerTransition transition(JsonNode node) {
        return new BreakerTransition(
                Instant.ofEpochMilli(node.path("at").asLong(0)),
                BreakerState.valueOf(text(node, "from")),
                BreakerState.valueOf(text(node, "to")),
                text(node, "reason"),
                text(node, "instance"));
    }

    private static Map<String, String> overrides(JsonNode node) {
        Map<String, String> overrides = new TreeMap<>();
        node.forEachEntry((name, value) -> overrides.put(name, value.asString("")));
        return overrides;
    }

    private static String text(JsonNode node, String field) {
        @Nullable String text = node.path(field).asString(null);
        if (text == null) {
            throw new IllegalArgumentException("the field " + field + " is missing in " + node);
        }
        return text;
    }
}
