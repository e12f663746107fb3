package android.content.pm;

import android.content.Intent;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class PackageManager {
    /** There is no such package. */
    public static class NameNotFoundException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    public abstract Intent getLaunchIntentForPackage(String name);

    public abstract PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException;
}
