package fanfare.device;

/** Why nothing is sent at present. */
public enum PauseReason {
    /** Nothing stands in the way. */
    NONE,
    /** The gateway was not reached, or did not answer. */
    NO_NETWORK,
    /** 429: more requests than are allowed. */
    RATE_LIMITED,
    /** 503: the gateway asks to come back later. */
    UNAVAILABLE,
    /** 401: the SDK key or the identity signature is not taken. The app has to do something. */
    UNAUTHORIZED,
    /** 403: a quota of the tenant is used up, or something in front of the gateway refuses. Somebody has to do something. */
    FORBIDDEN,
    /** 202: Live Activities are switched off for the tenant; the gateway drops reports. */
    SWITCHED_OFF;

    /** Whether it does not pass by itself. The library tries again all the same, rarely. */
    public boolean needsAttention() {
        return this == UNAUTHORIZED || this == FORBIDDEN;
    }
}
