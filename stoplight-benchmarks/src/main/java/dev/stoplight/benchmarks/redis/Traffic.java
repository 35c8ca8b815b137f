package dev.stoplight.benchmarks.redis;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.benchmarks.harness.Findings;
import dev.stoplight.benchmarks.harness.Options;
import dev.stoplight.benchmarks.harness.Promise;
import dev.stoplight.benchmarks.harness.Table;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** How many commands calls cause, counted on both sides of the wire. */
final class Traffic implements AutoCloseable {

    private static final int FAILURES = 1_000;

    private final LongAdder sent = new LongAdder();
    private final List<Table.Row> rows = new ArrayList<>();
    private final RedisLab lab;
    private final Node node;
    private final int many;

    private Traffic(RedisLab lab, int many) {
        this.lab = lab;
        this.many = many;
        this.node = new Node(lab.uri(), BreakerSettings.builtIn(), new CommandListener() {
            @Override
            public void commandStarted(CommandStartedEvent event) {
                sent.increment();
            }
        });
    }

    static void measure(RedisLab lab, Options options, Findings findings) {
        try (Traffic traffic = new Traffic(lab, options.quick() ? 100_000 : 1_000_000)) {
            traffic.measure(findings);
        }
    }

    private void measure(Findings findings) {
        for (BreakerMode mode : BreakerMode.values()) {
            Breaker green = breaker("green-" + mode, BreakerSettings.builder().mode(mode));
            double commands = count("healthy call, " + mode.name().toLowerCase(Locale.ROOT), many, () -> green.run(() -> {}));
            if (mode != BreakerMode.RATE) {
                findings.add(Promise.atMost("Commands in Redis for " + many + " healthy calls, " + mode.name().toLowerCase(Locale.ROOT), commands, 0, ""));
            }
            // Sends what was counted, so that it is not counted for what follows.
            green.snapshot();
        }
        Breaker failing =
                breaker("failing", BreakerSettings.builder().mode(BreakerMode.COUNT).threshold(10 * FAILURES));
        Node.fail(failing);
        long before = sent.sum();
        count("failed call", FAILURES, () -> Node.fail(failing));
        findings.add(Promise.atMost("Round trips for a failed call", (double) (sent.sum() - before) / FAILURES, 1, ""));

        Breaker red = breaker("red", BreakerSettings.builder().threshold(1).coolOff(Duration.ofHours(1)));
        Node.fail(red);
        double rejected = count("rejected call", many, () -> reject(red));
        findings.add(Promise.atMost("Commands in Redis for " + many + " rejected calls", rejected, 0, ""));

        findings.note("Commands in Redis include those inside scripts. Heartbeats are left out; "
                + "rate mode sends what it counted every 100ms.");
        findings.add(new Table("Commands", List.of("calls", "sent", "sent per call", "in Redis", "in Redis per call"), rows));
    }

    private Breaker breaker(String name, BreakerSettings.Builder settings) {
        Breaker breaker = node.registry.breaker(name, settings.build());
        breaker.run(() -> {});
        return breaker;
    }

    private double count(String label, int calls, Runnable call) {
        long sentBefore = sent.sum();
        long before = lab.commandCount();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        double sentNow = sent.sum() - sentBefore;
        double carriedOut = lab.commandCount() - before;
        rows.add(new Table.Row(label, (double) calls, sentNow, sentNow / calls, carriedOut, carriedOut / calls));
        return carriedOut;
    }

    private static void reject(Breaker red) {
        try {
            red.run(() -> {});
        } catch (CircuitOpenException expected) {
            return;
        }
        throw new IllegalStateException("a red light let a call through: " + red);
    }

    @Override
    public void close() {
        node.close();
    }
}
