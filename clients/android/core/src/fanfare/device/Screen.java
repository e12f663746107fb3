package fanfare.device;

import java.util.ArrayList;
import java.util.List;

/** What is to be done on the screen, in order, until the driver has done it. */
final class Screen {
    /** One Live Activity that is shown, or taken away. */
    static final class Change {
        final LiveActivity activity;
        final boolean isShown;
        final boolean alerts;

        Change(LiveActivity activity, boolean isShown, boolean alerts) {
            this.activity = activity;
            this.isShown = isShown;
            this.alerts = alerts;
        }
    }

    private List<Change> changes = new ArrayList<>();

    void show(Known known, boolean alerts, Now now) {
        changes.add(new Change(new LiveActivity(known, known.isStale(now)), true, alerts));
    }

    void remove(Known known) {
        changes.add(new Change(new LiveActivity(known, false), false, false));
    }

    /** What has come since the last call. */
    List<Change> take() {
        List<Change> taken = changes;
        changes = new ArrayList<>();
        return taken;
    }
}
