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

    /** Whether it may make way for another when the queue is full. What is scheduled has bounds of its own: {@link Plans}. */
    boolean mayMakeWay() {
        return !isLasting() && this != CANCEL && this != SCHEDULE;
    }

    static Kind named(String name) {
        for (Kind kind : values()) {
            if (kind.name().equals(name)) return kind;
        }
        return null;
    }
}
