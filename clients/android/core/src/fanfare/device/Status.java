package fanfare.device;

/** How the library fares. Immutable: a copy as of one moment. */
public final class Status {
    private final String insiderId;
    private final PauseReason pauseReason;
    private final String lastProblem;
    private final int waiting;
    private final long dropped;
    private final boolean isTokenReported;

    Status(
        String insiderId, PauseReason pauseReason, String lastProblem, int waiting, long dropped, boolean isTokenReported) {
        this.insiderId = insiderId;
        this.pauseReason = pauseReason;
        this.lastProblem = lastProblem;
        this.waiting = waiting;
        this.dropped = dropped;
        this.isTokenReported = isTokenReported;
    }

    /** Who is logged in; null when nobody is. */
    public String insiderId() {
        return insiderId;
    }

    /** Why nothing is sent at present; {@link PauseReason#NONE} when nothing stands in the way. */
    public PauseReason pauseReason() {
        return pauseReason;
    }

    /** The last problem in words, for a log; not null, empty when there was none. It holds no key and no token. */
    public String lastProblem() {
        return lastProblem;
    }

    /** How many reports wait. */
    public int waiting() {
        return waiting;
    }

    /** How many reports were dropped since the app was installed because too many waited. */
    public long dropped() {
        return dropped;
    }

    /** Whether the gateway has the newest registration token of this phone for this user. */
    public boolean isTokenReported() {
        return isTokenReported;
    }
}
