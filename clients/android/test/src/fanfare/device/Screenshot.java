package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** A screen that is only remembered. */
final class Screenshot implements Render {
    final Map<String, LiveActivity> shown = new LinkedHashMap<>();
    int alerts;
    int shows;

    @Override
    public synchronized void show(LiveActivity activity, boolean alerts) {
        shown.put(activity.key(), activity);
        shows++;
        if (alerts) this.alerts++;
    }

    @Override
    public synchronized void remove(LiveActivity activity) {
        shown.remove(activity.key());
    }

    synchronized LiveActivity of(String key) {
        return shown.get(key);
    }

    synchronized int count() {
        return shown.size();
    }
}
