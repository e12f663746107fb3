package android.content;

import android.net.Uri;
import java.util.LinkedHashMap;
import java.util.Map;

/** The framework class as far as tests need it: it works, and remembers. */
public class Intent {
    public static final String ACTION_BOOT_COMPLETED = "android.intent.action.BOOT_COMPLETED";
    public static final String ACTION_MY_PACKAGE_REPLACED = "android.intent.action.MY_PACKAGE_REPLACED";
    public static final int FLAG_ACTIVITY_SINGLE_TOP = 0x20000000;
    public final Map<String, String> extras = new LinkedHashMap<>();
    public Class<?> type;
    public int flags;
    private String action;
    private Uri data;

    public Intent(Intent other) {
        type = other.type;
        action = other.action;
        data = other.data;
        flags = other.flags;
        extras.putAll(other.extras);
    }

    public Intent(Context context, Class<?> type) {
        this.type = type;
    }

    public Intent setAction(String action) {
        this.action = action;
        return this;
    }

    public String getAction() {
        return action;
    }

    public Intent setData(Uri data) {
        this.data = data;
        return this;
    }

    public Uri getData() {
        return data;
    }

    public Intent putExtra(String name, String value) {
        extras.put(name, value);
        return this;
    }

    public String getStringExtra(String name) {
        return extras.get(name);
    }

    public void removeExtra(String name) {
        extras.remove(name);
    }

    public Intent addFlags(int flags) {
        this.flags |= flags;
        return this;
    }
}
