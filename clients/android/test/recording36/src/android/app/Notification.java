package android.app;

import android.content.Context;
import android.os.Bundle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The framework class as far as tests need it: it works, and remembers. */
public class Notification {
    public static final String CATEGORY_STATUS = "status";
    public static final int VISIBILITY_PUBLIC = 1;
    /** What the builder was given, by the name of the setter. */
    public final Map<String, Object> values;

    private Notification(Map<String, Object> values) {
        this.values = values;
    }

    public Object get(String name) {
        return values.get(name);
    }

    /** Makes notifications. */
    public static class Builder {
        private final Map<String, Object> values = new LinkedHashMap<>();

        public Builder(Context context, String channelId) {
            values.put("channel", channelId);
        }

        private Builder put(String name, Object value) {
            values.put(name, value);
            return this;
        }

        public Builder setSmallIcon(int icon) {
            return put("smallIcon", icon);
        }

        public Builder setContentTitle(CharSequence title) {
            return put("contentTitle", title);
        }

        public Builder setContentText(CharSequence text) {
            return put("contentText", text);
        }

        public Builder setSubText(CharSequence text) {
            return put("subText", text);
        }

        public Builder setCategory(String category) {
            return put("category", category);
        }

        public Builder setVisibility(int visibility) {
            return put("visibility", visibility);
        }

        public Builder setOngoing(boolean ongoing) {
            return put("ongoing", ongoing);
        }

        public Builder setAutoCancel(boolean autoCancel) {
            return put("autoCancel", autoCancel);
        }

        public Builder setOnlyAlertOnce(boolean onlyAlertOnce) {
            return put("onlyAlertOnce", onlyAlertOnce);
        }

        public Builder setContentIntent(PendingIntent intent) {
            return put("contentIntent", intent);
        }

        public Builder setDeleteIntent(PendingIntent intent) {
            return put("deleteIntent", intent);
        }

        public Builder setColor(int argb) {
            return put("color", argb);
        }

        public Builder setWhen(long when) {
            return put("when", when);
        }

        public Builder setShowWhen(boolean show) {
            return put("showWhen", show);
        }

        public Builder setUsesChronometer(boolean uses) {
            return put("usesChronometer", uses);
        }

        public Builder setChronometerCountDown(boolean countDown) {
            return put("chronometerCountDown", countDown);
        }

        public Builder setTimeoutAfter(long durationMs) {
            return put("timeoutAfter", durationMs);
        }

        public Builder setStyle(Style style) {
            return put("style", style);
        }

        public Builder setRequestPromotedOngoing(boolean request) {
            return put("requestPromotedOngoing", request);
        }

        public Builder setShortCriticalText(String text) {
            return put("shortCriticalText", text);
        }

        public Builder setProgress(int max, int progress, boolean indeterminate) {
            return put("progress", progress + "/" + max + (indeterminate ? "?" : ""));
        }

        public Builder addExtras(Bundle extras) {
            return put("extras", new LinkedHashMap<>(extras.values));
        }

        public Notification build() {
            return new Notification(new LinkedHashMap<>(values));
        }
    }

    /** What a notification looks like when it is opened. */
    public abstract static class Style {
    }

    /** A long text. */
    public static class BigTextStyle extends Style {
        public String text;

        public BigTextStyle bigText(CharSequence text) {
            this.text = text.toString();
            return this;
        }
    }

    /** A way with parts and places. */
    public static class ProgressStyle extends Style {
        public int progress;
        public boolean isIndeterminate;
        public List<Segment> segments = new ArrayList<>();
        public List<Point> points = new ArrayList<>();

        public ProgressStyle setProgress(int progress) {
            this.progress = progress;
            return this;
        }

        public ProgressStyle setProgressIndeterminate(boolean indeterminate) {
            isIndeterminate = indeterminate;
            return this;
        }

        public ProgressStyle setProgressSegments(List<Segment> segments) {
            this.segments = segments;
            return this;
        }

        public ProgressStyle setProgressPoints(List<Point> points) {
            this.points = points;
            return this;
        }

        /** A part of the way. */
        public static final class Segment {
            public final int length;
            public int color;

            public Segment(int length) {
                this.length = length;
            }

            public Segment setColor(int color) {
                this.color = color;
                return this;
            }
        }

        /** A place on the way. */
        public static final class Point {
            public final int position;
            public int color;

            public Point(int position) {
                this.position = position;
            }

            public Point setColor(int color) {
                this.color = color;
                return this;
            }
        }
    }
}
