package dev.stoplight.store;

import dev.stoplight.BreakerFailure;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerMode;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.BreakerTransition;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rules of a light as the documents tell them, with no thought for speed or memory: everything that ever happened stays in
 * one list, and every question is answered by reading that list from the beginning.
 *
 * <p>Replies carry no stamp and no reason.
 */
final class NaiveLight {

    private sealed interface Fact {}

    private record Failed(String callId, BreakerFailure failure, int mostKept) implements Fact {}

    /** Calls in the bucket to which the moment belongs. */
    private record Counted(long at, long calls, long failures, long latencyMicros) implements Fact {}

    /** An instance has reason to trip the light. */
    private record Complained(long at, String instance) implements Fact {}

    private record StreakEnded() implements Fact {}

    private record ProbeGranted(String lease, long expiresAt) implements Fact {}

    private record ProbeEnded(String lease, boolean succeeded) implements Fact {}

    private record Turned(BreakerTransition transition, long epoch, long until, BreakerLock lock, Why why) implements Fact {}

    private enum Why {
        TRIPPED,
        COOLED_OFF,
        RECOVERED,
        ADMINISTRATION;

        /** Whether all that was counted before is forgotten. */
        boolean startsAfresh() {
            return this == RECOVERED || this == ADMINISTRATION;
        }
    }

    private record Restored(Light light, long until) implements Fact {}

    /** A reset of a locked light. */
    private record CountsForgotten() implements Fact {}

    private record Changed(Map<String, String> overrides) implements Fact {}

    private final List<Fact> facts = new ArrayList<>();
    private boolean published;

    private long micros;
    private long now;
    private StoreRequest request;

    /** Whether the last command is something that other instances must hear of. */
    boolean published() {
        return published;
    }

    StoreReply apply(StoreRequest next, long nowMicros) {
        request = next;
        micros = nowMicros;
        now = nowMicros / 1000;
        int before = facts.size();
        StoreCommand command = next.command();
        boolean accepted;
        boolean tellsOverrides = false;
        StoreReply.Details details = null;
        boolean forgotten = false;
        boolean firstOfStreak = false;
        if (command instanceof StoreCommand.Record c) {
            firstOfStreak = counts(c.epoch()) && failures().isEmpty() && settings().mode() == BreakerMode.CONSECUTIVE;
            accepted = record(c);
        } else if (command instanceof StoreCommand.Count c) {
            accepted = count(c);
        } else if (command instanceof StoreCommand.Clear c) {
            accepted = counts(c.epoch()) && settings().mode() == BreakerMode.CONSECUTIVE && !failures().isEmpty();
            if (accepted) {
                facts.add(new StreakEnded());
            }
        } else if (command instanceof StoreCommand.Acquire c) {
            accepted = acquire(c.lease());
        } else if (command instanceof StoreCommand.Settle c) {
            accepted = settle(c);
        } else if (command instanceof StoreCommand.Read c) {
            accepted = true;
            tellsOverrides = true;
            details = c.details() ? details() : null;
        } else if (command instanceof StoreCommand.Lock c) {
            accepted = c.lock() != lock();
            if (accepted) {
                BreakerState to = c.lock() == BreakerLock.OPEN ? BreakerState.OPEN : BreakerState.CLOSED;
                turn(to, 0, c.lock(), Why.ADMINISTRATION);
            }
        } else if (command instanceof StoreCommand.Reset) {
            accepted = lock() == null;
            if (accepted) {
                turn(BreakerState.CLOSED, 0, null, Why.ADMINISTRATION);
            } else {
                facts.add(new CountsForgotten());
            }
        } else if (command instanceof StoreCommand.Configure c) {
            accepted = true;
            tellsOverrides = true;
            Map<String, String> changed = new TreeMap<>(c.replace() ? Map.of() : overrides());
            changed.putAll(c.changes());
            facts.add(new Changed(changed));
        } else if (command instanceof StoreCommand.Restore c) {
            accepted = restore(c);
            tellsOverrides = true;
        } else {
            facts.clear();
            before = 0;
            accepted = true;
            tellsOverrides = true;
            forgotten = true;
        }

        BreakerTransition transition = null;
        for (Fact fact : facts.subList(before, facts.size())) {
            if (fact instanceof Turned turned) {
                transition = turned.transition;
            }
        }
        published = transition != null
                || firstOfStreak
                || (accepted && !(command instanceof StoreCommand.Record
                        || command instanceof StoreCommand.Count
                        || command instanceof StoreCommand.Acquire
                        || command instanceof StoreCommand.Read));
        return new StoreReply(light(), accepted, next.instance(), transition, tellsOverrides ? overrides() : null, details, forgotten);
    }

    // What commands do

    private boolean record(StoreCommand.Record c) {
        if (!counts(c.epoch())) {
            return false;
        }
        boolean known = failures().stream().anyMatch(failed -> failed.callId.equals(c.failure().callId()));
        if (!known) {
            keep(c.failure());
            if (settings().countsCalls()) {
                facts.add(new Counted(now, c.counted().calls(), 0, c.counted().latencyMicros()));
                facts.add(new Counted(now, 1, 1, c.failure().durationMicros()));
                facts.add(new Complained(now, request.instance()));
            }
        }
        tripIfARuleIsBroken();
        return !known;
    }

    private boolean count(StoreCommand.Count c) {
        if (!counts(c.epoch()) || !settings().countsCalls()) {
            return false;
        }
        facts.add(new Counted(now, c.counted().calls(), 0, c.counted().latencyMicros()));
        if (isTooSlow(c.counted().calls(), c.counted().latencyMicros())) {
            facts.add(new Complained(now, request.instance()));
        }
        tripIfARuleIsBroken();
        return true;
    }

    private boolean acquire(String lease) {
        if (visibleState() != BreakerState.HALF_OPEN) {
            return false;
        }
        if (state() == BreakerState.OPEN) {
            turn(BreakerState.HALF_OPEN, until(), null, Why.COOLED_OFF);
        }
        if (probes().stream().anyMatch(probe -> probe.lease.equals(lease))) {
            return true;
        }
        if (probes().size() >= settings().halfOpenCalls()) {
            return false;
        }
        facts.add(new ProbeGranted(lease, now + settings().probeTimeout().toMillis()));
        return true;
    }

    private boolean settle(StoreCommand.Settle c) {
        boolean inTime = state() == BreakerState.HALF_OPEN
                && lock() == null
                && c.epoch() == epoch()
                && probes().stream().anyMatch(probe -> probe.lease.equals(c.lease()));
        if (!inTime) {
            return false;
        }
        facts.add(new ProbeEnded(c.lease(), c.verdict() == StoreCommand.Verdict.SUCCESS));
        switch (c.verdict()) {
            case RELEASED -> {}
            case SUCCESS -> {
                if (probeSuccesses() >= settings().recoveryThreshold()) {
                    turn(BreakerState.CLOSED, 0, null, Why.RECOVERED);
                }
            }
            case FAILURE -> {
                if (c.failure() != null) {
                    keep(c.failure());
                }
                trip();
            }
        }
        return true;
    }

    private boolean restore(StoreCommand.Restore c) {
        boolean accepted = false;
        if (overrides().isEmpty() && !areCleared() && !c.overrides().isEmpty()) {
            facts.add(new Changed(c.overrides()));
            accepted = true;
        }
        Light lost = c.light();
        boolean worth = lost.lock() != null || (lost.state() == BreakerState.OPEN && lost.remainingMillis() > 0);
        if (worth && lost.epoch() > epoch()) {
            facts.add(new Restored(lost, now + lost.remainingMillis()));
            accepted = true;
        }
        return accepted;
    }

    private void keep(Failure failure) {
        BreakerFailure kept = new BreakerFailure(
                Instant.ofEpochMilli(now), failure.error(), failure.message(), request.instance(), failure.durationMicros() / 1000);
        facts.add(new Failed(failure.callId(), kept, Math.max(settings().threshold(), 50)));
    }

    private void tripIfARuleIsBroken() {
        BreakerSettings settings = settings();
        Counted calls = calls();
        boolean enoughCalls = calls.calls >= settings.minimumCalls();
        boolean enoughComplaints = complaints() >= settings.minimumInstances();
        boolean broken = switch (settings.mode()) {
            case CONSECUTIVE, COUNT -> failures().size() >= settings.threshold()
                    && failures().stream().map(failed -> failed.failure.instance()).distinct().count() >= settings.minimumInstances();
            case RATE -> enoughCalls && enoughComplaints && isRateReached(calls.failures, calls.calls);
        };
        if (broken || (enoughCalls && enoughComplaints && isTooSlow(calls.calls, calls.latencyMicros))) {
            trip();
        }
    }

    private boolean isRateReached(long failures, long calls) {
        BigDecimal needed = BigDecimal.valueOf(settings().failureRate()).multiply(BigDecimal.valueOf(calls));
        return BigDecimal.valueOf(failures).compareTo(needed) >= 0;
    }

    private boolean isTooSlow(long calls, long latencyMicros) {
        Duration limit = settings().maxAverageLatency().orElse(null);
        return limit != null && calls > 0 && Duration.ofNanos(latencyMicros * 1000).compareTo(limit.multipliedBy(calls)) > 0;
    }

    /** The cool-off grows with each trip since the light was last green. */
    private void trip() {
        BigDecimal coolOff = BigDecimal.valueOf(settings().coolOff().toMillis());
        BigDecimal most = coolOff.max(BigDecimal.valueOf(settings().maxCoolOff().toMillis()));
        BigDecimal grown = coolOff.multiply(BigDecimal.valueOf(settings().coolOffMultiplier()).pow(trips()));
        turn(BreakerState.OPEN, now + grown.min(most).setScale(0, RoundingMode.DOWN).longValueExact(), null, Why.TRIPPED);
    }

    private void turn(BreakerState to, long until, BreakerLock lock, Why why) {
        BreakerTransition transition = new BreakerTransition(Instant.ofEpochMilli(now), state(), to, "", request.instance());
        facts.add(new Turned(transition, Math.max(micros, epoch() + 1), until, lock, why));
    }

    // What the facts say

    private boolean counts(long callEpoch) {
        return lock() == null && state() == BreakerState.CLOSED && callEpoch >= epoch();
    }

    private Map<String, String> overrides() {
        Map<String, String> overrides = Map.of();
        for (Fact fact : facts) {
            if (fact instanceof Changed changed) {
                overrides = changed.overrides;
            }
        }
        return overrides;
    }

    private boolean areCleared() {
        return facts.stream().reduce(false, (cleared, fact) -> fact instanceof Changed changed ? changed.overrides.isEmpty() : cleared, (a, b) -> b);
    }

    private BreakerSettings settings() {
        BreakerSettings.Builder changed = BreakerSettings.builder();
        overrides().forEach(changed::set);
        return request.settings().overriddenBy(changed.build());
    }

    private BreakerState state() {
        BreakerState state = BreakerState.CLOSED;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                state = turned.transition.to();
            } else if (fact instanceof Restored restored) {
                state = restored.light.state();
            }
        }
        return state;
    }

    private BreakerState visibleState() {
        return state() == BreakerState.OPEN && lock() == null && now >= until() ? BreakerState.HALF_OPEN : state();
    }

    private long epoch() {
        long epoch = 0;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                epoch = turned.epoch;
            } else if (fact instanceof Restored restored) {
                epoch = restored.light.epoch();
            }
        }
        return epoch;
    }

    private long since() {
        long since = 0;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                since = turned.transition.at().toEpochMilli();
            } else if (fact instanceof Restored restored) {
                since = restored.light.sinceMillis();
            }
        }
        return since;
    }

    private long until() {
        long until = 0;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                until = turned.until;
            } else if (fact instanceof Restored restored) {
                until = restored.until;
            }
        }
        return until;
    }

    private BreakerLock lock() {
        BreakerLock lock = null;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                lock = turned.lock;
            } else if (fact instanceof Restored restored) {
                lock = restored.light.lock();
            }
        }
        return lock;
    }

    private int trips() {
        int trips = 0;
        for (Fact fact : facts) {
            if (fact instanceof Turned turned && turned.why.startsAfresh()) {
                trips = 0;
            } else if (fact instanceof Turned turned && turned.why == Why.TRIPPED) {
                trips++;
            } else if (fact instanceof Restored restored) {
                trips = restored.light.trips();
            }
        }
        return trips;
    }

    private static boolean startsAfresh(Fact fact) {
        return (fact instanceof Turned turned && turned.why.startsAfresh()) || fact instanceof Restored || fact instanceof CountsForgotten;
    }

    private List<Failed> failures() {
        List<Failed> failures = new ArrayList<>();
        for (Fact fact : facts) {
            if (startsAfresh(fact) || fact instanceof StreakEnded) {
                failures.clear();
            } else if (fact instanceof Failed failed) {
                failures.add(failed);
                while (failures.size() > failed.mostKept) {
                    failures.remove(0);
                }
            }
        }
        long windowStart = now - settings().window().toMillis();
        failures.removeIf(failed -> failed.failure.at().toEpochMilli() <= windowStart);
        return failures;
    }

    private Counted calls() {
        // A window has at most 60 buckets, and a bucket goes as a whole as soon as its beginning is a window old.
        long window = settings().window().toMillis();
        long width = (long) Math.ceil(window / 60.0);
        long calls = 0;
        long failed = 0;
        long latency = 0;
        for (Fact fact : facts) {
            if (startsAfresh(fact)) {
                calls = 0;
                failed = 0;
                latency = 0;
            } else if (fact instanceof Counted counted && now / width - counted.at / width < window / width) {
                calls += counted.calls;
                failed += counted.failures;
                latency += counted.latencyMicros;
            }
        }
        return new Counted(now, calls, failed, latency);
    }

    private long complaints() {
        List<String> instances = new ArrayList<>();
        for (Fact fact : facts) {
            if (startsAfresh(fact)) {
                instances.clear();
            } else if (fact instanceof Complained complained && complained.at > now - settings().window().toMillis()) {
                instances.add(complained.instance);
            }
        }
        return instances.stream().distinct().count();
    }

    private List<ProbeGranted> probes() {
        List<ProbeGranted> probes = new ArrayList<>();
        for (Fact fact : facts) {
            if (fact instanceof Turned || startsAfresh(fact)) {
                probes.clear();
            } else if (fact instanceof ProbeGranted granted) {
                probes.add(granted);
            } else if (fact instanceof ProbeEnded ended) {
                probes.removeIf(granted -> granted.lease.equals(ended.lease));
            }
        }
        probes.removeIf(granted -> granted.expiresAt <= now);
        return probes;
    }

    private int probeSuccesses() {
        int successes = 0;
        for (Fact fact : facts) {
            if (fact instanceof Turned || startsAfresh(fact)) {
                successes = 0;
            } else if (fact instanceof ProbeEnded ended && ended.succeeded) {
                successes++;
            }
        }
        return successes;
    }

    private Light light() {
        BreakerSettings settings = settings();
        List<ProbeGranted> probes = probes();
        long remaining = switch (visibleState()) {
            case CLOSED -> 0;
            case OPEN -> Math.max(0, until() - now);
            case HALF_OPEN -> probes.size() < settings.halfOpenCalls()
                    ? 0
                    : probes.stream().mapToLong(ProbeGranted::expiresAt).min().orElseThrow() - now;
        };
        Counted calls = calls();
        boolean rate = settings.mode() == BreakerMode.RATE;
        boolean near = rate && calls.calls < settings.minimumCalls() && isRateReached(calls.failures, settings.minimumCalls());
        int failures = rate ? (int) calls.failures : failures().size();
        return new Light(
                visibleState(), epoch(), visibleState() == state() ? since() : until(), remaining, trips(), lock(), failures, probes.size(), probeSuccesses(), near, 0);
    }

    private StoreReply.Details details() {
        List<BreakerFailure> failures = new ArrayList<>(failures().stream().map(Failed::failure).toList());
        Collections.reverse(failures);
        List<BreakerTransition> transitions = new ArrayList<>();
        for (Fact fact : facts) {
            if (fact instanceof Turned turned) {
                transitions.add(0, turned.transition);
            }
        }
        return new StoreReply.Details(
                failures.stream().limit(50).toList(), transitions.stream().limit(50).toList());
    }
}
