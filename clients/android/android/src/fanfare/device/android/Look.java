package fanfare.device.android;

import android.content.Intent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How a Live Activity looks as a notification. Immutable; made by {@link Builder}. */
public final class Look {
    final int smallIcon;
    final String title;
    final String text;
    final String bigText;
    final String subText;
    final String shortText;
    final int color;
    final int progress;
    final boolean isIndeterminate;
    final List<int[]> segments;
    final List<int[]> points;
    final long when;
    final boolean countsDown;
    final Intent opens;

    private Look(Builder builder) {
        smallIcon = builder.smallIcon;
        title = builder.title;
        text = builder.text;
        bigText = builder.bigText;
        subText = builder.subText;
        shortText = builder.shortText;
        color = builder.color;
        progress = builder.progress;
        isIndeterminate = builder.isIndeterminate;
        segments = Collections.unmodifiableList(new ArrayList<>(builder.segments));
        points = Collections.unmodifiableList(new ArrayList<>(builder.points));
        when = builder.when;
        countsDown = builder.countsDown;
        opens = builder.opens;
    }

    boolean hasProgress() {
        return progress >= 0 || isIndeterminate;
    }

    /** The length of the whole way; 100 without segments. */
    int length() {
        int length = 0;
        for (int[] segment : segments) length += segment[0];
        return length == 0 ? 100 : length;
    }

    /** Collects it. Not for several threads. */
    public static final class Builder {
        private final int smallIcon;
        private final String title;
        private String text;
        private String bigText;
        private String subText;
        private String shortText;
        private int color;
        private int progress = -1;
        private boolean isIndeterminate;
        private final List<int[]> segments = new ArrayList<>();
        private final List<int[]> points = new ArrayList<>();
        private long when;
        private boolean countsDown;
        private Intent opens;

        /**
         * @param smallIcon the resource of the icon in the status bar; not 0
         * @param title the title, without which nothing is promoted; not null, not empty
         * @throws IllegalArgumentException if one of them is none
         */
        public Builder(int smallIcon, String title) {
            if (smallIcon == 0) throw new IllegalArgumentException("smallIcon must be a resource");
            if (title == null || title.isEmpty()) throw new IllegalArgumentException("title must not be empty");
            this.smallIcon = smallIcon;
            this.title = title;
        }

        /** The line below the title; null for none. */
        public Builder text(String text) {
            this.text = text;
            return this;
        }

        /** What stands there when the notification is opened and has no progress; null for the text. */
        public Builder bigText(String text) {
            bigText = text;
            return this;
        }

        /** The small line at the top; null for none. */
        public Builder subText(String text) {
            subText = text;
            return this;
        }

        /** What stands in the status bar's chip from Android 16 on, best at most seven letters; null for the icon alone. */
        public Builder shortText(String text) {
            shortText = text;
            return this;
        }

        /** The color of icon and progress, as 0xAARRGGBB; 0 for the system's. */
        public Builder color(int color) {
            this.color = color;
            return this;
        }

        /**
         * How far it is: from 0 to the sum of the segments' lengths, or to 100 without segments.
         *
         * @throws IllegalArgumentException if it is below 0
         */
        public Builder progress(int progress) {
            if (progress < 0) throw new IllegalArgumentException("progress must be 0 or more");
            this.progress = progress;
            return this;
        }

        /** It goes on, and nobody knows how far it is. */
        public Builder progressUnknown() {
            isIndeterminate = true;
            return this;
        }

        /**
         * A part of the way, behind those that were added before; shown from Android 16 on.
         *
         * @param length above 0
         * @param color 0xAARRGGBB; 0 for the system's
         */
        public Builder segment(int length, int color) {
            if (length <= 0) throw new IllegalArgumentException("length must be above 0");
            segments.add(new int[] {length, color});
            return this;
        }

        /**
         * A place on the way, such as a stop; shown from Android 16 on.
         *
         * @param position above 0, within the way
         * @param color 0xAARRGGBB; 0 for the system's
         */
        public Builder point(int position, int color) {
            if (position <= 0) throw new IllegalArgumentException("position must be above 0");
            points.add(new int[] {position, color});
            return this;
        }

        /** A clock that counts down to this moment, in epoch milliseconds. */
        public Builder countsDownTo(long epochMillis) {
            when = epochMillis;
            countsDown = true;
            return this;
        }

        /** A clock that counts from this moment on, in epoch milliseconds. */
        public Builder countsUpFrom(long epochMillis) {
            when = epochMillis;
            countsDown = false;
            return this;
        }

        /** What a tap opens: an activity of the app; null for what the app's icon opens. */
        public Builder opens(Intent intent) {
            opens = intent;
            return this;
        }

        /** What was collected. */
        public Look build() {
            return new Look(this);
        }
    }
}
