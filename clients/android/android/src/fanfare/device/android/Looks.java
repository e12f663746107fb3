package fanfare.device.android;

import fanfare.device.LiveActivity;

/** The app's say in how Live Activities look. */
public interface Looks {
    /**
     * How this one looks now: made of its title, content state and attributes. Called while the library holds its lock, on any
     * thread: it must return soon, and needs no network.
     *
     * @param activity not null
     * @return null when the app cannot show it, such as a type that this version does not know: it is passed over
     */
    Look look(LiveActivity activity);
}
