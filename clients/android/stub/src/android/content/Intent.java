package android.content;

import android.net.Uri;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class Intent {
    public static final String ACTION_BOOT_COMPLETED = "android.intent.action.BOOT_COMPLETED";
    public static final String ACTION_MY_PACKAGE_REPLACED = "android.intent.action.MY_PACKAGE_REPLACED";
    public static final int FLAG_ACTIVITY_SINGLE_TOP = 0x20000000;

    public Intent(Intent other) {
        throw new UnsupportedOperationException("a declaration");
    }

    public Intent(Context context, Class<?> type) {
        throw new UnsupportedOperationException("a declaration");
    }

    public Intent setAction(String action) {
        throw new UnsupportedOperationException("a declaration");
    }

    public String getAction() {
        throw new UnsupportedOperationException("a declaration");
    }

    public Intent setData(Uri data) {
        throw new UnsupportedOperationException("a declaration");
    }

    public Uri getData() {
        throw new UnsupportedOperationException("a declaration");
    }

    public Intent putExtra(String name, String value) {
        throw new UnsupportedOperationException("a declaration");
    }

    public String getStringExtra(String name) {
        throw new UnsupportedOperationException("a declaration");
    }

    public void removeExtra(String name) {
        throw new UnsupportedOperationException("a declaration");
    }

    public Intent addFlags(int flags) {
        throw new UnsupportedOperationException("a declaration");
    }
}
