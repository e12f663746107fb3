package fanfare.device.android;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import fanfare.device.FanfareDevice;

/**
 * Hears that a notification was swiped away, and that the phone has booted or the app was replaced, after which no
 * notification is there. It stands in the app's manifest, not exported but for those two broadcasts of the system. {@link
 * FanfareAndroid#install} must have been called by then, in {@code Application.onCreate}.
 */
public final class LiveActivityReceiver extends BroadcastReceiver {
    static final String DISMISSED = "fanfare.device.DISMISSED";
    /** The extra of a tap's intent that holds the Live Activity's key. */
    static final String KEY = "fanfare.device.KEY";

    @Override
    public void onReceive(Context context, Intent intent) {
        FanfareDevice device = FanfareAndroid.installed();
        if (device == null || intent == null || intent.getAction() == null) return;
        switch (intent.getAction()) {
            case DISMISSED:
                String key = intent.getStringExtra(KEY);
                if (key != null) device.onDismissed(key);
                UploadJob.schedule(context);
                break;
            case Intent.ACTION_BOOT_COMPLETED:
            case Intent.ACTION_MY_PACKAGE_REPLACED:
                device.restore();
                break;
            default:
                break;
        }
    }
}
