package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Very many breakers: keys of one name. */
final class Fleet {

    private static final int AT_ONCE = 500;

    private Fleet() {}

    static Breaker breaker(Node node, int number) {
        return node.registry.breaker("fleet", "client-" + number);
    }

    /** Lets each of the breakers {@code from} to {@code to} (exclusive) fail so often, many at a time. */
    static void failEach(Node node, int from, int to, int failures) {
        List<CompletableFuture<Void>> underWay = new ArrayList<>();
        for (int failure = 0; failure < failures; failure++) {
            for (int i = from; i < to; i++) {
                underWay.add(Node.failAsync(breaker(node, i)));
                if (underWay.size() == AT_ONCE || i == to - 1) {
                    underWay.forEach(CompletableFuture::join);
                    underWay.clear();
                }
            }
        }
    }
}
