package fanfare.device;

/** A Live Activity as it is to be shown. Immutable. */
public final class LiveActivity {
    private final Known known;
    private final boolean isStale;

    LiveActivity(Known known, boolean isStale) {
        this.known = new Known(known);
        this.isStale = isStale;
    }

    /** Names it on this phone for its life: the notification's tag. Not null. */
    public String key() {
        return known.key;
    }

    /** The gateway's activity; null as long as the gateway has not answered for one that the app opened. */
    public String activityId() {
        return known.activityId;
    }

    /** Such as {@code MatchAttributes}; null when no message has said it. */
    public String activityType() {
        return known.type;
    }

    /** What the app called it when it opened it; null when it was started by a message. */
    public ExternalName externalName() {
        return known.name;
    }

    /** The last title that a message or the app gave; null when there was none. */
    public String title() {
        return known.title;
    }

    /** The last message text; null when there was none. */
    public String message() {
        return known.message;
    }

    /** The newest content state, JSON as the customer sent it, byte for byte; null when there was none. */
    public String contentState() {
        return known.contentState;
    }

    /** The attributes, JSON as the customer sent them with the start, byte for byte; null when there were none. */
    public String attributes() {
        return known.attributes;
    }

    /** Of the newest content, in epoch seconds by the gateway's clock; 0 when it is the app's own. */
    public long timestampSeconds() {
        return known.timestamp;
    }

    /** Whether it goes on; when not, this is its final content. */
    public boolean isOngoing() {
        return known.state == Known.State.SHOWN;
    }

    /** Whether the {@code stale_date} of its content has passed. */
    public boolean isStale() {
        return isStale;
    }

    /** When the final content is to leave the screen, in epoch milliseconds; 0 as long as it goes on. */
    public long visibleUntilMillis() {
        return isOngoing() ? 0 : known.visibleUntil;
    }

    /** Holds no content. */
    @Override
    public String toString() {
        return known.key + " " + known.state + " " + known.timestamp;
    }
}
