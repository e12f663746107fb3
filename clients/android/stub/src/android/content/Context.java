package android.content;

import android.content.pm.PackageManager;
import java.io.File;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class Context {
    public abstract Context getApplicationContext();
    public abstract String getPackageName();
    public abstract PackageManager getPackageManager();
    public abstract File getNoBackupFilesDir();

    public final <T> T getSystemService(Class<T> type) {
        throw new UnsupportedOperationException("a declaration");
    }
}
