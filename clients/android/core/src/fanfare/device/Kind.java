package fanfare.device;

/**
 * What an upload says. Those at the end make way first when the queue is full; the first four are what the gateway must know
 * in the end, and never make way.
 */
enum Kind {
    DEVICE, TOKEN, ERASE, FOLLOW, DISMISSED, SYNC, CANCEL, SCHEDULE, TAP, TOPICS;

    /** Whether it is kept until the gateway has taken it. */
    boolean isLasting() {
        return ordinal() <= FOLLOW.ordinal();
    }

    static Kind named(String name) {
        for (Kind kind : values()) {
            if (kind.name().equals(name)) return kind;
        }
        return null;
    }
}
