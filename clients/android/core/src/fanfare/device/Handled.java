package fanfare.device;

/** What became of a message. */
public enum Handled {
    /** It is not one of Fanfare's: it is for the rest of the app. */
    NOT_OURS,
    /** It is Fanfare's, and cannot be understood. */
    MALFORMED,
    /** A Live Activity is shown that was not there. */
    SHOWN,
    /** A Live Activity has new content. */
    UPDATED,
    /** A Live Activity is over. */
    ENDED,
    /** It is older than what is known, or the same again. */
    STALE,
    /** The user has dismissed this Live Activity: it is noted, and not shown. */
    DISMISSED,
    /** An update of a Live Activity that this phone was not sent the start of: it is noted, and not shown. */
    NOT_STARTED,
    /** Nobody is logged in. */
    LOGGED_OUT
}
