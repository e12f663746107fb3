package fanfare.device.android;

import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.content.Context;

/** The notification channel of Live Activities. Immutable. */
public final class LiveActivityChannel {
    private final String id;
    private final String name;
    private final String description;

    /**
     * @param id the app's name for it, which must never change; not null
     * @param name what the user reads in the system's settings, in the user's language; not null
     * @param description a sentence below it; null for none
     */
    public LiveActivityChannel(String id, String name, String description) {
        if (id == null || id.isEmpty()) throw new IllegalArgumentException("id must not be empty");
        if (name == null || name.isEmpty()) throw new IllegalArgumentException("name must not be empty");
        this.id = id;
        this.name = name;
        this.description = description;
    }

    /** Not null. */
    public String id() {
        return id;
    }

    /**
     * Makes it, or gives it its new name; what the user has set stays. Its importance is the default one: an alert sounds,
     * and a channel of the lowest importance would not be promoted.
     */
    void setUp(Context context) {
        NotificationChannel channel = new NotificationChannel(id, name, NotificationManager.IMPORTANCE_DEFAULT);
        if (description != null) channel.setDescription(description);
        channel.setShowBadge(false);
        channel.setLockscreenVisibility(Notification.VISIBILITY_PUBLIC);
        manager(context).createNotificationChannel(channel);
    }

    /** Whether the user lets notifications of this channel be shown. */
    boolean mayNotify(Context context) {
        if (!manager(context).areNotificationsEnabled()) return false;
        NotificationChannel channel = manager(context).getNotificationChannel(id);
        return channel == null || channel.getImportance() != NotificationManager.IMPORTANCE_NONE;
    }

    static NotificationManager manager(Context context) {
        return context.getSystemService(NotificationManager.class);
    }
}
