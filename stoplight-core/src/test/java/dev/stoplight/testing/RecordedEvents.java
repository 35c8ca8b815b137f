package dev.stoplight.testing;

import dev.stoplight.BreakerEvent;
import dev.stoplight.BreakerListener;
import dev.stoplight.BreakerState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that remembers what it heard. */
public final class RecordedEvents implements BreakerListener {

    private final List<BreakerEvent> events = new CopyOnWriteArrayList<>();

    @Override
    public void onEvent(BreakerEvent event) {
        events.add(event);
    }

    public List<BreakerEvent> all() {
        return List.copyOf(events);
    }

    public <E extends BreakerEvent> List<E> of(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The states that the lights changed to, in the order in which that was heard. */
    public List<BreakerState> states() {
        return of(BreakerEvent.Transitioned.class).stream().map(event -> event.transition().to()).toList();
    }
}
