package android.app;

import android.content.Context;
import android.os.Bundle;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class Notification {
    public static final String CATEGORY_STATUS = "status";
    public static final int VISIBILITY_PUBLIC = 1;

    /** Makes notifications. */
    public static class Builder {
        public Builder(Context context, String channelId) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setSmallIcon(int icon) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setContentTitle(CharSequence title) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setContentText(CharSequence text) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setSubText(CharSequence text) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setCategory(String category) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setVisibility(int visibility) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setOngoing(boolean ongoing) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setAutoCancel(boolean autoCancel) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setOnlyAlertOnce(boolean onlyAlertOnce) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setContentIntent(PendingIntent intent) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setDeleteIntent(PendingIntent intent) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setColor(int argb) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setWhen(long when) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setShowWhen(boolean show) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setUsesChronometer(boolean uses) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setChronometerCountDown(boolean countDown) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setTimeoutAfter(long durationMs) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setProgress(int max, int progress, boolean indeterminate) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setStyle(Style style) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder addExtras(Bundle extras) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Notification build() {
            throw new UnsupportedOperationException("a declaration");
        }
    }

    /** What a notification looks like when it is opened. */
    public abstract static class Style {
    }

    /** A long text. */
    public static class BigTextStyle extends Style {
        public BigTextStyle bigText(CharSequence text) {
            throw new UnsupportedOperationException("a declaration");
        }
    }
}
