package fanfare.device;

/** The gateway's reply. Immutable. */
public final class Reply {
    private final int status;
    private final long retryAfterSeconds;
    private final String body;

    /**
     * @param status the HTTP status
     * @param retryAfterSeconds the value of {@code Retry-After}; -1 when there is none
     * @param body the body as text; not null
     */
    public Reply(int status, long retryAfterSeconds, String body) {
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
        this.body = body == null ? "" : body;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** Seconds; -1 when the reply does not say. */
    public long retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** Not null. */
    public String body() {
        return body;
    }
}
