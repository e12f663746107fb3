package fanfare.device.android;

import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.os.Build;
import fanfare.device.DeviceFacts;
import fanfare.device.DeviceListener;
import fanfare.device.FanfareDevice;
import fanfare.device.PauseReason;
import fanfare.device.Refusal;
import fanfare.device.Settings;
import fanfare.device.Status;
import fanfare.device.TapAttribution;
import java.io.File;

/** Ties {@link FanfareDevice} to Android. All methods may be called on any thread. */
public final class FanfareAndroid {
    private static volatile FanfareDevice installed;

    private FanfareAndroid() {
    }

    /**
     * Makes the process's one {@link FanfareDevice}; call it in {@code Application.onCreate}, which runs before any receiver,
     * service or activity. A second call answers with the first one's.
     *
     * @param context any; not null
     * @param settings where the gateway is; its listener should be {@link #listener} around the app's own
     * @param channel the channel, which is made; not null
     * @param looks how Live Activities look; not null
     */
    public static synchronized FanfareDevice install(
        Context context, Settings settings, LiveActivityChannel channel, Looks looks) {
        if (installed == null) {
            NotificationRender render = new NotificationRender(context, channel, looks);
            File folder = new File(context.getNoBackupFilesDir(), "fanfare");
            installed = new FanfareDevice(settings, folder, render);
        }
        return installed;
    }

    /** What {@link #install} has made; null before. */
    public static FanfareDevice installed() {
        return installed;
    }

    /** Forgets it: for tests, which play several processes in one. */
    static synchronized void uninstall() {
        if (installed != null) installed.close();
        installed = null;
    }

    /** What the gateway is told of this phone as it is now. Ask again when the app comes to the foreground: settings change. */
    public static DeviceFacts facts(Context context, LiveActivityChannel channel, boolean consents) {
        return new DeviceFacts(osVersion(), appVersion(context), channel.mayNotify(context), consents);
    }

    private static String osVersion() {
        String release = Build.VERSION.RELEASE;
        boolean isNumber = release != null && !release.isEmpty() && Character.isDigit(release.charAt(0));
        return isNumber ? release : String.valueOf(Build.VERSION.SDK_INT);
    }

    private static String appVersion(Context context) {
        try {
            String name = context.getPackageManager().getPackageInfo(context.getPackageName(), 0).versionName;
            return name == null || name.trim().isEmpty() || name.length() > 20 ? null : name;
        } catch (PackageManager.NameNotFoundException none) {
            return null;
        }
    }

    /** Whether the user lets notifications of this app be promoted to Live Updates; false before Android 16. */
    public static boolean mayBePromoted(Context context) {
        return LiveUpdates.mayBePromoted(LiveActivityChannel.manager(context));
    }

    /**
     * An activity of the app was opened: call it in {@code onCreate} and {@code onNewIntent}. A tap is reported once, however
     * often the activity is made anew.
     *
     * @param intent null for none
     * @return the key of the Live Activity that was tapped; null when it was none
     */
    public static String onIntent(Intent intent) {
        String key = intent == null ? null : intent.getStringExtra(LiveActivityReceiver.KEY);
        if (key == null || installed == null) return null;
        intent.removeExtra(LiveActivityReceiver.KEY);
        installed.onTapped(key);
        return key;
    }

    /** A listener that has the system run {@link UploadJob} when there is no network, and tells the app's own. */
    public static DeviceListener listener(Context context, DeviceListener own) {
        Context application = context.getApplicationContext();
        return new DeviceListener() {
            @Override
            public void onStatusChanged(Status status) {
                PauseReason reason = status.pauseReason();
                // A job is no use against the others.
                boolean isPassing = reason == PauseReason.NO_NETWORK || reason == PauseReason.UNAVAILABLE;
                if (isPassing) UploadJob.schedule(application);
                own.onStatusChanged(status);
            }

            @Override
            public void onRefused(Refusal refusal) {
                own.onRefused(refusal);
            }

            @Override
            public void onTapAttributed(TapAttribution attribution) {
                own.onTapAttributed(attribution);
            }

            @Override
            public void onBellsChanged() {
                own.onBellsChanged();
            }
        };
    }
}
