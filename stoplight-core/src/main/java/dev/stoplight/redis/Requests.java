package dev.stoplight.redis;

import dev.stoplight.store.Light;
import dev.stoplight.store.StoreCommand;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import io.lettuce.core.RedisCommandExecutionException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Sends what a breaker wants to Redis, in time, and puts back what Redis turns out to have lost. */
final class Requests {

    private static final System.Logger LOG = System.getLogger(Requests.class.getName());

    private final Keys keys;
    private final RedisTime time;
    private final LongSupplier clock;
    private final SharedLights shared;
    private final Listing listing;

    /** @param clock microseconds instead of Redis' own time, or 0 */
    Requests(Keys keys, RedisTime time, LongSupplier clock, SharedLights shared, Listing listing) {
        this.keys = keys;
        this.time = time;
        this.clock = clock;
        this.shared = shared;
        this.listing = listing;
    }

    /** Sends a command and learns from the answer, or from a better one. */
    CompletableFuture<StoreReply> send(Link link, StoreRequest request, Duration limit) {
        long deadline = deadline(limit);
        return run(link, request, deadline).thenCompose(reply -> {
            if (contradicts(request, reply)) {
                return makeSure(link, request, reply, deadline);
            }
            shared.learn(request.id(), reply);
            if (request.command() instanceof StoreCommand.Forget) {
                listing.remove(link, request.id());
            }
            return CompletableFuture.completedFuture(reply);
        });
    }

    private static long deadline(Duration limit) {
        return System.nanoTime() + limit.toNanos();
    }

    /** Whether the answer can only come from a Redis that has lost its memory, or was changed by an operator just now. */
    private boolean contradicts(StoreRequest request, StoreReply reply) {
        return shared.lightLostBy(request.id(), reply)
                || (request.command() instanceof StoreCommand.Read && shared.overridesLostBy(request.id(), reply));
    }

    /**
     * Puts back what Redis has lost, and repeats the command. What an operator changed is known with the pong, because its
     * message came before.
     */
    private CompletionStage<StoreReply> makeSure(Link link, StoreRequest request, StoreReply reply, long deadline) {
        String id = request.id();
        return link.pingSubscription()
                .thenCompose(pong -> contradicts(request, reply)
                        ? run(link, restoring(request), deadline).thenCompose(restored -> run(link, request, deadline))
                        : CompletableFuture.completedFuture(reply))
                .handle((sure, thrown) -> {
                    if (thrown != null) {
                        // The subscription is gone as well. Everything is read afresh with the next one.
                        LOG.log(Level.DEBUG, "What Redis has lost could not be put back at once", thrown);
                        return reply;
                    }
                    shared.learn(id, sure);
                    return sure;
                });
    }

    private StoreRequest restoring(StoreRequest request) {
        StoreCommand restore = restore(shared.remaining(request.id()), shared.overrides(request.id()));
        return new StoreRequest(request.id(), request.instance(), request.settings(), restore);
    }

    /** What reads a breaker, and puts back what Redis has lost of it. */
    StoreCommand readAndRestore(String id) {
        Light lost = shared.remaining(id);
        Map<String, String> overrides = shared.overrides(id);
        return lost == null && overrides.isEmpty() ? new StoreCommand.Read(false) : restore(lost, overrides);
    }

    private static StoreCommand restore(@Nullable Light lost, Map<String, String> overrides) {
        return new StoreCommand.Restore(lost == null ? Light.GREEN : lost, overrides);
    }

    CompletableFuture<StoreReply> run(Link link, StoreRequest request, Duration limit) {
        return run(link, request, deadline(limit));
    }

    /** Sends a command; one that Redis takes for late, because its clock was set, is sent once more. */
    private CompletableFuture<StoreReply> run(Link link, StoreRequest request, long deadline) {
        return runOnce(link, request, deadline).exceptionallyCompose(thrown -> {
            Long redisMicros = Wire.late(Link.unwrap(thrown));
            if (redisMicros == null) {
                return CompletableFuture.failedFuture(thrown);
            }
            time.told(redisMicros);
            return runOnce(link, request, deadline);
        });
    }

    private CompletableFuture<StoreReply> runOnce(Link link, StoreRequest request, long deadline) {
        long remaining = TimeUnit.NANOSECONDS.toMicros(deadline - System.nanoTime());
        if (remaining <= 0) {
            return CompletableFuture.failedFuture(new TimeoutException());
        }
        try {
            listing.note(link, request);
            long injected = clock.getAsLong();
            String now = injected == 0 ? "<" + (time.micros() + remaining) : Long.toString(injected);
            return link.run(Wire.encode(request, link.channel(), now), keys.of(request.id()))
                    .thenApply(json -> decode(json).reply());
        } catch (RuntimeException e) {
            // A connection that is just going away refuses at once, others fail later.
            return CompletableFuture.failedFuture(e);
        }
    }

    Wire.Message decode(String json) {
        Wire.Message message = Wire.decode(json, time::stamp);
        time.told(message.micros());
        return message;
    }

    /**
     * Whether only this command is refused, while Redis is there: a Cluster moves the breaker's slot, so that its keys cannot be
     * used together, which is over soon; its keys are not ours; or there is no room.
     */
    static boolean refused(Throwable thrown) {
        String message = thrown.getMessage();
        return thrown instanceof RedisCommandExecutionException
                && message != null
                && (message.startsWith("TRYAGAIN") || message.contains("WRONGTYPE") || message.contains("OOM "));
    }
}
