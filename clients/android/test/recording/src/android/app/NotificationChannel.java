package android.app;

/** The framework class as far as tests need it: it works, and remembers. */
public final class NotificationChannel {
    public final String id;
    public final String name;
    public int importance;
    public boolean showsBadge = true;
    public int visibility;

    public NotificationChannel(String id, CharSequence name, int importance) {
        this.id = id;
        this.name = name.toString();
        this.importance = importance;
    }

    public void setDescription(String description) {
    }

    public void setShowBadge(boolean showBadge) {
        showsBadge = showBadge;
    }

    public void setLockscreenVisibility(int visibility) {
        this.visibility = visibility;
    }

    public int getImportance() {
        return importance;
    }
}
