package dev.stoplight;

/** The epochs of the latest transitions told to listeners: each arrives as a reply and as a message, in either order. */
final class Announcements {

    private final long[] epochs = new long[8];
    private int next;

    /** Whether that epoch is new. */
    boolean add(long epoch) {
        for (long known : epochs) {
            if (known == epoch) {
                return false;
            }
        }
        epochs[next] = epoch;
        next = (next + 1) % epochs.length;
        return true;
    }
}
