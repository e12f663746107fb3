package fanfare.device;

/** A moment: by the wall clock, which may jump, and by one that only goes forward while the process lives. */
final class Now {
    /** A moment of the monotonic clock before all others, with which one can still calculate. */
    static final long LONG_AGO = Long.MIN_VALUE / 4;

    /** Milliseconds since 1970. */
    final long wall;
    /** Milliseconds from any beginning. */
    final long monotonic;

    Now(long wall, long monotonic) {
        this.wall = wall;
        this.monotonic = monotonic;
    }
}
