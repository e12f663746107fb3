package fanfare.device.android;

import android.app.Notification;
import android.app.NotificationManager;
import android.os.Build;
import android.os.Bundle;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;

/**
 * What Android has from 16 (API 36) on, by reflection, so that the library can be compiled with any SDK: {@code
 * ProgressStyle}, the chip's text, the request to be promoted.
 */
final class LiveUpdates {
    private static final int FIRST_API = 36;
    /** What {@code setRequestPromotedOngoing} sets, where the builder has no such method yet. */
    private static final String EXTRA_REQUEST = "android.requestPromotedOngoing";
    private static final String STYLE = "android.app.Notification$ProgressStyle";

    private LiveUpdates() {
    }

    static boolean areThere() {
        return Build.VERSION.SDK_INT >= FIRST_API;
    }

    /** Makes it a Live Update, as far as this phone knows how. Whether it has a style now. */
    static boolean promote(Notification.Builder builder, Look look) {
        Bundle extras = new Bundle();
        extras.putBoolean(EXTRA_REQUEST, true);
        builder.addExtras(extras);
        callIfThere(builder, "setRequestPromotedOngoing", boolean.class, true);
        if (look.shortText != null) callIfThere(builder, "setShortCriticalText", String.class, look.shortText);
        if (!look.hasProgress()) return false;
        try {
            builder.setStyle((Notification.Style) style(look));
            return true;
        } catch (ReflectiveOperationException | ClassCastException missing) {
            return false;
        }
    }

    private static Object style(Look look) throws ReflectiveOperationException {
        Class<?> type = Class.forName(STYLE);
        Object style = type.getConstructor().newInstance();
        if (look.isIndeterminate) {
            call(style, "setProgressIndeterminate", boolean.class, true);
        } else {
            call(style, "setProgress", int.class, Math.min(look.progress, look.length()));
        }
        if (!look.segments.isEmpty()) call(style, "setProgressSegments", List.class, parts("Segment", look.segments));
        if (!look.points.isEmpty()) call(style, "setProgressPoints", List.class, parts("Point", look.points));
        return style;
    }

    private static List<Object> parts(String name, List<int[]> parts) throws ReflectiveOperationException {
        Class<?> type = Class.forName(STYLE + "$" + name);
        List<Object> made = new ArrayList<>();
        for (int[] part : parts) {
            Object each = type.getConstructor(int.class).newInstance(part[0]);
            if (part[1] != 0) call(each, "setColor", int.class, part[1]);
            made.add(each);
        }
        return made;
    }

    /** Whether the user and the system let this app's notifications be promoted; false before Android 16. */
    static boolean mayBePromoted(NotificationManager manager) {
        try {
            Object answer = NotificationManager.class.getMethod("canPostPromotedNotifications").invoke(manager);
            return areThere() && Boolean.TRUE.equals(answer);
        } catch (ReflectiveOperationException missing) {
            return false;
        }
    }

    private static void call(Object on, String name, Class<?> type, Object value) throws ReflectiveOperationException {
        on.getClass().getMethod(name, type).invoke(on, value);
    }

    private static void callIfThere(Object on, String name, Class<?> type, Object value) {
        try {
            call(on, name, type, value);
        } catch (InvocationTargetException refused) {
            throw new IllegalStateException(name, refused.getCause());
        } catch (ReflectiveOperationException missing) {
            // An earlier release of Android 16.
        }
    }
}
