package android.app;

import android.content.Context;
import android.content.Intent;

/** The part of the framework class that the library uses: declarations, to compile against. */
public final class PendingIntent {
    public static final int FLAG_UPDATE_CURRENT = 0x08000000;
    public static final int FLAG_IMMUTABLE = 0x04000000;

    public static PendingIntent getActivity(Context context, int requestCode, Intent intent, int flags) {
        throw new UnsupportedOperationException("a declaration");
    }

    public static PendingIntent getBroadcast(Context context, int requestCode, Intent intent, int flags) {
        throw new UnsupportedOperationException("a declaration");
    }
}
