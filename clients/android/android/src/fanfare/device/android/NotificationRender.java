package fanfare.device.android;

import android.app.Notification;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import fanfare.device.LiveActivity;
import fanfare.device.Render;

/** Shows each Live Activity as one notification. Safe for several threads. */
public final class NotificationRender implements Render {
    /** With {@link LiveActivity#key()} as the tag it names the notification. */
    public static final int NOTIFICATION_ID = 0x0FA0FA;

    private final Context context;
    private final LiveActivityChannel channel;
    private final Looks looks;

    /**
     * Sets up the channel.
     *
     * @param context any; not null
     * @param channel not null
     * @param looks how Live Activities look; not null
     */
    public NotificationRender(Context context, LiveActivityChannel channel, Looks looks) {
        if (context == null || channel == null || looks == null) throw new IllegalArgumentException("must not be null");
        this.context = context.getApplicationContext();
        this.channel = channel;
        this.looks = looks;
        channel.setUp(this.context);
    }

    @Override
    public void show(LiveActivity activity, boolean alerts) {
        Look look = looks.look(activity);
        if (look == null) return;
        LiveActivityChannel.manager(context).notify(activity.key(), NOTIFICATION_ID, notification(activity, look, alerts));
    }

    @Override
    public void remove(LiveActivity activity) {
        LiveActivityChannel.manager(context).cancel(activity.key(), NOTIFICATION_ID);
    }

    private Notification notification(LiveActivity activity, Look look, boolean alerts) {
        Notification.Builder builder = new Notification.Builder(context, channel.id())
            .setSmallIcon(look.smallIcon)
            .setContentTitle(look.title)
            .setContentText(look.text)
            .setSubText(look.subText)
            .setCategory(Notification.CATEGORY_STATUS)
            .setVisibility(Notification.VISIBILITY_PUBLIC)
            .setOngoing(activity.isOngoing())
            .setAutoCancel(!activity.isOngoing())
            // What alerts sounds although the notification is there already.
            .setOnlyAlertOnce(!alerts)
            .setContentIntent(tap(activity, look))
            .setDeleteIntent(dismissal(activity));
        if (look.color != 0) builder.setColor(look.color);
        if (look.when != 0) {
            builder.setWhen(look.when).setShowWhen(true).setUsesChronometer(true).setChronometerCountDown(look.countsDown);
        } else {
            builder.setShowWhen(false);
        }
        if (!activity.isOngoing() && activity.visibleUntilMillis() > 0) {
            builder.setTimeoutAfter(Math.max(1, activity.visibleUntilMillis() - System.currentTimeMillis()));
        }
        boolean isStyled = LiveUpdates.areThere() && activity.isOngoing() && LiveUpdates.promote(builder, look);
        if (!isStyled) style(builder, look);
        return builder.build();
    }

    private static void style(Notification.Builder builder, Look look) {
        if (look.hasProgress()) {
            builder.setProgress(look.length(), Math.min(Math.max(0, look.progress), look.length()), look.isIndeterminate);
        }
        String text = look.bigText == null ? look.text : look.bigText;
        if (text != null) builder.setStyle(new Notification.BigTextStyle().bigText(text));
    }

    /** An activity and no receiver: from Android 12 on a tap must open one itself. */
    private PendingIntent tap(LiveActivity activity, Look look) {
        Intent intent = look.opens != null ? new Intent(look.opens)
            : context.getPackageManager().getLaunchIntentForPackage(context.getPackageName());
        if (intent == null) return null;
        mark(intent, activity);
        intent.addFlags(Intent.FLAG_ACTIVITY_SINGLE_TOP);
        return PendingIntent.getActivity(context, activity.key().hashCode(), intent, flags());
    }

    private PendingIntent dismissal(LiveActivity activity) {
        Intent intent = new Intent(context, LiveActivityReceiver.class).setAction(LiveActivityReceiver.DISMISSED);
        mark(intent, activity);
        return PendingIntent.getBroadcast(context, activity.key().hashCode(), intent, flags());
    }

    /** Two pending intents differ by the data, not by extras. */
    private static void mark(Intent intent, LiveActivity activity) {
        if (intent.getData() == null) intent.setData(Uri.fromParts("fanfare", activity.key(), null));
        intent.putExtra(LiveActivityReceiver.KEY, activity.key());
    }

    private static int flags() {
        return PendingIntent.FLAG_UPDATE_CURRENT | PendingIntent.FLAG_IMMUTABLE;
    }
}
