package fanfare.device;

/**
 * Puts Live Activities on the screen. Called while the library holds its lock, one call at a time and in order, on the thread
 * that handles a message or on the upload thread: it must return soon, and must not wait for a thread that calls the library.
 */
public interface Render {
    /**
     * Shows a Live Activity, or changes the one with this {@link LiveActivity#key()}.
     *
     * @param activity what is to be shown; not null
     * @param alerts whether the user is to be alerted; otherwise it changes silently
     */
    void show(LiveActivity activity, boolean alerts);

    /** Takes a Live Activity away; one that is not there is passed over. */
    void remove(LiveActivity activity);
}
