package dev.stoplight;

/** What the keys of one name share, so that each of very many costs little. */
final class Family {

    final CallCounters calls = new CallCounters(null);
    final View unknown;
    volatile View green;

    Family(BreakerSettings settings, boolean immediateStore) {
        this.unknown = View.unknown(settings);
        this.green = View.green(settings, immediateStore);
    }

    void reconfigure(BreakerSettings settings, boolean immediateStore) {
        green = View.green(settings, immediateStore);
    }
}
