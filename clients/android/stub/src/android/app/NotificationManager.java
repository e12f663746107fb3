package android.app;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class NotificationManager {
    public static final int IMPORTANCE_NONE = 0;
    public static final int IMPORTANCE_DEFAULT = 3;

    public void createNotificationChannel(NotificationChannel channel) {
        throw new UnsupportedOperationException("a declaration");
    }

    public NotificationChannel getNotificationChannel(String id) {
        throw new UnsupportedOperationException("a declaration");
    }

    public boolean areNotificationsEnabled() {
        throw new UnsupportedOperationException("a declaration");
    }

    public void notify(String tag, int id, Notification notification) {
        throw new UnsupportedOperationException("a declaration");
    }

    public void cancel(String tag, int id) {
        throw new UnsupportedOperationException("a declaration");
    }
}
