package android.app;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** The framework class as far as tests need it: it works, and remembers. */
public final class PendingIntent {
    public static final int FLAG_UPDATE_CURRENT = 0x08000000;
    public static final int FLAG_IMMUTABLE = 0x04000000;
    public final Intent intent;
    public final int flags;
    public final boolean isActivity;
    private final Context context;

    private PendingIntent(Context context, Intent intent, int flags, boolean isActivity) {
        this.context = context;
        this.intent = intent;
        this.flags = flags;
        this.isActivity = isActivity;
    }

    public static PendingIntent getActivity(Context context, int requestCode, Intent intent, int flags) {
        return new PendingIntent(context, intent, flags, true);
    }

    public static PendingIntent getBroadcast(Context context, int requestCode, Intent intent, int flags) {
        return new PendingIntent(context, intent, flags, false);
    }

    /** As the system does when the notification is swiped away. */
    public void send() throws ReflectiveOperationException {
        ((BroadcastReceiver) intent.type.getConstructor().newInstance()).onReceive(context, intent);
    }
}
