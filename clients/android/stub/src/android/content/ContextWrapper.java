package android.content;

import android.content.pm.PackageManager;
import java.io.File;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class ContextWrapper extends Context {
    public ContextWrapper(Context base) {
        throw new UnsupportedOperationException("a declaration");
    }

    public Context getApplicationContext() {
        throw new UnsupportedOperationException("a declaration");
    }

    public String getPackageName() {
        throw new UnsupportedOperationException("a declaration");
    }

    public PackageManager getPackageManager() {
        throw new UnsupportedOperationException("a declaration");
    }

    public File getNoBackupFilesDir() {
        throw new UnsupportedOperationException("a declaration");
    }
}
