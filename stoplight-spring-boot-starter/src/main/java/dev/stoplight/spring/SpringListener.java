package dev.stoplight.spring;

import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Passes events on: to the log, to {@link BreakerListener} beans, and as application events.
 *
 * <p>A listener may depend on the registry, so listeners are looked up when every bean is there. What happens earlier is told then.
 */
final class SpringListener implements BreakerListener, SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(SpringListener.class);

    private final ConfigurableApplicationContext context;
    private final ObjectProvider<BreakerListener> beans;
    private final List<BreakerEvent> early = new ArrayList<>();
    private volatile @Nullable List<BreakerListener> listeners;

    /** Those that failed on a command: there are too many commands to speak of each. */
    private final Set<BreakerListener> failing = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    SpringListener(ConfigurableApplicationContext context, ObjectProvider<BreakerListener> beans) {
        this.context = context;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<BreakerListener> found = beans.orderedStream().filter(listener -> listener != this).toList();
        List<BreakerEvent> missed;
        synchronized (early) {
            listeners = found;
            missed = List.copyOf(early);
            early.clear();
        }
        missed.forEach(event -> tell(found, event));
    }

    @Override
    public void onEvent(BreakerEvent event) {
        if (event instanceof BreakerEvent.Transitioned transitioned && transitioned.own()) {
            log(transitioned);
        }
        List<BreakerListener> told = listeners;
        if (told == null) {
            synchronized (early) {
                told = listeners;
                if (told == null) {
                    early.add(event);
                    return;
                }
            }
        }
        tell(told, event);
    }

    private void tell(List<BreakerListener> told, BreakerEvent event) {
        for (BreakerListener listener : told) {
            tell(listener, event);
        }
        if (context.isActive()) {
            tell(context::publishEvent, event);
        }
    }

    private static void tell(BreakerListener listener, BreakerEvent event) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException | Error e) {
            // The others must hear of it all the same.
            LOG.warn("A listener failed on " + event, e);
        }
    }

    @Override
    public void onStoreCommand(String command, boolean answered, long nanos) {
        List<BreakerListener> told = listeners;
        if (told != null) {
            told.forEach(listener -> tell(listener, command, answered, nanos));
        }
    }

    private void tell(BreakerListener listener, String command, boolean answered, long nanos) {
        try {
            listener.onStoreCommand(command, answered, nanos);
        } catch (RuntimeException | Error e) {
            if (failing.add(listener)) {
                LOG.warn("A listener failed on the store's command '" + command + "'; if it does so again, that is not logged", e);
            }
        }
    }

    private static void log(BreakerEvent.Transitioned event) {
        String id = event.key() == null ? event.name() : event.name() + ":" + event.key();
        BreakerState to = event.transition().to();
        String line = "Breaker '" + id + "' went from " + event.transition().from() + " to " + to + ": " + event.transition().reason();
        if (to == BreakerState.OPEN) {
            LOG.warn(line);
        } else {
            LOG.info(line);
        }
    }
}
