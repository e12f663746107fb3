package android.content.pm;

import android.content.Intent;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class PackageManager {
    /** There is no such package. */
    public static class NameNotFoundException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    public abstract Intent getLaunchIntentForPackage(String name);
    public abstract PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException;
}
