package fanfare.device;

/** How long to wait before the next try. */
final class Backoff {
    static final long BASE = 2_000;
    static final long LONGEST = 3_600_000;
    /** A gateway's {@code Retry-After} counts up to this. */
    static final long LONGEST_RETRY_AFTER = 86_400_000;
    /** Between tries while the gateway refuses the key, the signature or a quota. */
    static final long PAUSED_BASE = 900_000;
    static final long PAUSED_LONGEST = 21_600_000;

    private Backoff() {
    }

    /**
     * Doubles from two seconds to an hour; half of it is by lot.
     *
     * @param failures in a row, from 1
     * @param roll from 0 to below 1
     */
    static long after(int failures, double roll) {
        return halfByLot(doubled(BASE, LONGEST, failures), roll);
    }

    /** The same from 15 minutes to six hours. */
    static long paused(int failures, double roll) {
        return halfByLot(doubled(PAUSED_BASE, PAUSED_LONGEST, failures), roll);
    }

    /** Never earlier than the gateway said, and up to a quarter later, so that phones do not come back all at once. */
    static long retryAfter(long seconds, int failures, double roll) {
        long asked = Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER / 1_000) * 1_000;
        return asked + (long) (roll * Math.max(asked / 4, Math.min(after(failures, 0), 60_000)));
    }

    private static long doubled(long base, long longest, int failures) {
        return Math.min(longest, base << Math.min(Math.max(failures, 1) - 1, 20));
    }

    private static long halfByLot(long delay, double roll) {
        return delay / 2 + (long) (roll * (delay / 2));
    }
}
