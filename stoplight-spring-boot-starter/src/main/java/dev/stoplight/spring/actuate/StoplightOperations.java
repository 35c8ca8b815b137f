package dev.stoplight.spring.actuate;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerSnapshot;
import dev.stoplight.BreakerState;
import dev.stoplight.StoreUnavailableException;
import dev.stoplight.spring.BreakerSettingsSources;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Everything that an operator can ask for or change; the endpoint and the dashboard are two ways to it. */
public final class StoplightOperations {

    /** Most ids that the store is asked for; the latest, since those are the ones that something is up with. */
    private static final int MOST_KNOWN = 500;

    /** Questions to the store that are under way at once, so that a listing never crowds out calls. */
    private static final int AT_ONCE = 20;

    private static final Comparator<Light> ORDER = Comparator.<Light>comparingInt(light -> switch (light.seen.state()) {
                case OPEN -> 0;
                case HALF_OPEN -> 1;
                case CLOSED -> 2;
            })
            .thenComparing(light -> light.seen.name())
            .thenComparing(light -> light.seen.key(), Comparator.nullsFirst(Comparator.naturalOrder()));

    private final BreakerRegistry registry;
    private final BreakerSettingsSources sources;
    private final boolean enabled;
    private final @Nullable ClassLoader classLoader;

    /** What can be done to a breaker. */
    private enum Action {
        LOCK_OPEN,
        LOCK_CLOSED,
        UNLOCK,
        RESET,
        CONFIGURE,
        CLEAR_OVERRIDES;

        private String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private static Action of(@Nullable Object text) {
            for (Action action : values()) {
                if (action.text().equals(text)) {
                    return action;
                }
            }
            String allowed = Arrays.stream(values()).map(Action::text).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("action must be one of " + allowed + ", was " + text);
        }
    }

    /** A breaker, and what was seen of it; {@code fresh} when the store itself said so a moment ago. */
    private record Light(Breaker breaker, BreakerSnapshot seen, boolean fresh) {

        /** Whether it is worth showing: one of very many keys is not, while all is well with it. */
        boolean notable() {
            return breaker.key() == null
                    || seen.state() != BreakerState.CLOSED
                    || seen.failures() > 0
                    || seen.lock() != null
                    || changed(breaker);
        }

        boolean matches(ListQuery query) {
            return (query.color() == null || query.color().equals(BreakerJson.color(seen.state())))
                    && (query.search().isEmpty() || breaker.id().toLowerCase(Locale.ROOT).contains(query.search()));
        }
    }

    public StoplightOperations(
            BreakerRegistry registry, BreakerSettingsSources sources, boolean enabled, @Nullable ClassLoader classLoader) {
        this.registry = registry;
        this.sources = sources;
        this.enabled = enabled;
        this.classLoader = classLoader;
    }

    /** The lights, red first. */
    public Answer list(ListQuery query) {
        List<Light> lights = new ArrayList<>();
        registry.breakers().map(breaker -> new Light(breaker, breaker.lastSeen(), false)).filter(Light::notable).forEach(lights::add);
        boolean all = addKnownElsewhere(lights);
        Map<String, @Nullable Object> counts = new LinkedHashMap<>();
        ListQuery.COLORS.forEach(color ->
                counts.put(color, lights.stream().filter(light -> color.equals(BreakerJson.color(light.seen.state()))).count()));

        List<Light> matching = lights.stream().filter(light -> light.matches(query)).sorted(ORDER).toList();
        int from = (int) Math.min((long) query.page() * query.size(), matching.size());
        List<Light> page = matching.subList(from, Math.min(from + query.size(), matching.size()));

        Map<String, @Nullable Object> json = header();
        json.put("enabled", enabled);
        json.put("counts", counts);
        Map<String, @Nullable Object> paging = new LinkedHashMap<>();
        paging.put("number", query.page());
        paging.put("size", query.size());
        paging.put("total", matching.size());
        paging.put("complete", all);
        json.put("page", paging);
        json.put("breakers", refreshed(page).stream().map(light -> BreakerJson.summary(light.breaker, light.seen)).toList());
        return Answer.ok(json);
    }

    /** One light with its settings and its past. */
    public Answer detail(String id) {
        return find(id).map(this::detail).orElseGet(() -> unknown(id));
    }

    /** Carries out an action on every instance; {@code body} holds it and the settings that it takes. */
    public Answer change(String id, Map<String, @Nullable Object> body) {
        try {
            Action action = Action.of(body.get("action"));
            BreakerSettings changes = changes(action, body);
            return write(id, breaker -> {
                carryOut(breaker, action, changes);
                return detail(breaker);
            });
        } catch (IllegalArgumentException e) {
            return Answer.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /** Removes every trace of a breaker on every instance. */
    public Answer forget(String id) {
        return write(id, breaker -> {
            breaker.forget();
            return Answer.done();
        });
    }

    private interface Write {
        Answer to(Breaker breaker);
    }

    private Answer write(String id, Write write) {
        try {
            Optional<Breaker> breaker = find(id);
            if (breaker.isPresent()) {
                return write.to(breaker.get());
            }
            return registry.storeStatus().up()
                    ? unknown(id)
                    : Answer.unavailable("the store is down, and '" + id + "' is not in use on this instance");
        } catch (StoreUnavailableException e) {
            return Answer.unavailable(String.valueOf(e.getMessage()));
        }
    }

    private Answer unknown(String id) {
        return Answer.notFound("no breaker has the id '" + id + "'"
                + (registry.storeStatus().up() ? "" : " on this instance; the store is down, so it may exist elsewhere"));
    }

    private Optional<Breaker> find(String id) {
        return registry.findById(id).or(() -> {
            Set<String> known = known();
            if (known.contains(id)) {
                return Optional.of(registry.handle(id));
            }
            // Where there are more than were asked for, only looking tells.
            return Optional.of(known)
                    .filter(latest -> latest.size() >= MOST_KNOWN)
                    .map(latest -> registry.handle(id))
                    .filter(breaker -> breaker.snapshot().since() != null || breaker.lastSeen().failures() > 0 || changed(breaker));
        });
    }

    private static boolean changed(Breaker breaker) {
        return !breaker.overrides().explicit().isEmpty();
    }

    private Set<String> known() {
        return registry.known(MOST_KNOWN).toCompletableFuture().join();
    }

    private Map<String, @Nullable Object> header() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("store", BreakerJson.store(registry));
        json.put("instance", registry.instance());
        json.put("time", BreakerJson.text(Instant.now().truncatedTo(ChronoUnit.MILLIS)));
        return json;
    }

    private Answer detail(Breaker breaker) {
        Map<String, @Nullable Object> json = BreakerJson.detail(breaker, breaker.details(), sources);
        header().forEach(json::put);
        return Answer.ok(json);
    }

    /** Adds what only the store can tell: failures on other instances, and keys that are not in use here. False when it knows more. */
    private boolean addKnownElsewhere(List<Light> lights) {
        Set<String> listed = lights.stream().map(light -> light.breaker.id()).collect(Collectors.toCollection(HashSet::new));
        Set<String> known = known();
        read(known.stream().filter(id -> !listed.contains(id)).map(registry::handle).toList()).stream()
                .filter(Light::notable)
                .forEach(lights::add);
        return known.size() < MOST_KNOWN;
    }

    /** The same lights as the store sees them now, in order again and without the keys that have recovered meanwhile. */
    private List<Light> refreshed(List<Light> page) {
        List<Light> fresh = new ArrayList<>(page.stream().filter(Light::fresh).toList());
        fresh.addAll(read(page.stream().filter(light -> !light.fresh).map(Light::breaker).toList()));
        return fresh.stream().filter(Light::notable).sorted(ORDER).toList();
    }

    private static List<Light> read(List<Breaker> breakers) {
        List<Light> lights = new ArrayList<>(breakers.size());
        for (int from = 0; from < breakers.size(); from += AT_ONCE) {
            breakers.subList(from, Math.min(from + AT_ONCE, breakers.size())).stream()
                    .map(breaker -> breaker.snapshotAsync().thenApply(now -> new Light(breaker, now, true)).toCompletableFuture())
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .forEach(lights::add);
        }
        return lights;
    }

    private BreakerSettings changes(Action action, Map<String, @Nullable Object> body) {
        Map<String, @Nullable Object> given = new LinkedHashMap<>(body);
        given.remove("action");
        if (action != Action.CONFIGURE) {
            if (!given.isEmpty()) {
                throw new IllegalArgumentException(action.text() + " takes no settings, was given " + String.join(", ", given.keySet()));
            }
            return BreakerSettings.builtIn();
        }
        if (given.isEmpty()) {
            String allowed = Arrays.stream(BreakerSetting.values()).map(BreakerSetting::key).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("configure needs at least one setting; allowed are " + allowed);
        }
        BreakerSettings.Builder changes = BreakerSettings.builder();
        given.forEach((name, value) -> changes.set(
                BreakerSetting.of(name), value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : String.valueOf(value)));
        BreakerSettings settings = changes.build();
        settings.recordExceptions().forEach(name -> requireException(BreakerSetting.RECORD_EXCEPTIONS, name));
        settings.ignoreExceptions().forEach(name -> requireException(BreakerSetting.IGNORE_EXCEPTIONS, name));
        return settings;
    }

    private void requireException(BreakerSetting setting, String className) {
        Class<?> type;
        try {
            type = ClassUtils.forName(className, classLoader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new IllegalArgumentException(setting.key() + " must list classes of this application, was " + className, e);
        }
        if (!Throwable.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(setting.key() + " must list exceptions, was " + className);
        }
    }

    private static void carryOut(Breaker breaker, Action action, BreakerSettings changes) {
        switch (action) {
            case LOCK_OPEN -> breaker.lock(BreakerLock.OPEN);
            case LOCK_CLOSED -> breaker.lock(BreakerLock.CLOSED);
            case UNLOCK -> breaker.unlock();
            case RESET -> breaker.reset();
            case CONFIGURE -> breaker.configure(changes);
            case CLEAR_OVERRIDES -> breaker.clearOverrides();
        }
    }
}
