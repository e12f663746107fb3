package fanfare.device;

/** What the bell beside a topic shows. */
public enum Bell {
    /** Not followed. An unfollow counts from the moment at which it is made, though the gateway may not know of it yet. */
    OFF,
    /** Followed, and the gateway does not know of it yet. */
    PENDING,
    /** Followed, and the gateway knows. */
    LIVE,
    /** Followed, but the user does not let the app show notifications. */
    NO_PERMISSION
}
