package android.app;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The framework class as far as tests need it: it works, and remembers. */
public class NotificationManager {
    public static final int IMPORTANCE_NONE = 0;
    public static final int IMPORTANCE_DEFAULT = 3;
    public static final NotificationManager INSTANCE = new NotificationManager();
    public final Map<String, Notification> shown = new LinkedHashMap<>();
    public final Map<String, NotificationChannel> channels = new LinkedHashMap<>();
    public final List<String> log = new ArrayList<>();
    public boolean isEnabled = true;

    public void createNotificationChannel(NotificationChannel channel) {
        channels.put(channel.id, channel);
    }

    public NotificationChannel getNotificationChannel(String id) {
        return channels.get(id);
    }

    public boolean areNotificationsEnabled() {
        return isEnabled;
    }

    public synchronized void notify(String tag, int id, Notification notification) {
        log.add((shown.put(tag, notification) == null ? "show " : "update ") + tag);
    }

    public synchronized void cancel(String tag, int id) {
        if (shown.remove(tag) != null) log.add("cancel " + tag);
    }
}
