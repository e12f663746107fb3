package android.app;

/** The part of the framework class that the library uses: declarations, to compile against. */
public final class NotificationChannel {
    public NotificationChannel(String id, CharSequence name, int importance) {
        throw new UnsupportedOperationException("a declaration");
    }

    public void setDescription(String description) {
        throw new UnsupportedOperationException("a declaration");
    }

    public void setShowBadge(boolean showBadge) {
        throw new UnsupportedOperationException("a declaration");
    }

    public void setLockscreenVisibility(int visibility) {
        throw new UnsupportedOperationException("a declaration");
    }

    public int getImportance() {
        throw new UnsupportedOperationException("a declaration");
    }
}
