package android.content;

import android.content.pm.PackageManager;
import java.io.File;

/** The framework class as far as tests need it: it works, and remembers. */
public class ContextWrapper extends Context {
    private final Context base;

    public ContextWrapper(Context base) {
        this.base = base;
    }

    public Context getApplicationContext() {
        return base.getApplicationContext();
    }

    public String getPackageName() {
        return base.getPackageName();
    }

    public PackageManager getPackageManager() {
        return base.getPackageManager();
    }

    public File getNoBackupFilesDir() {
        return base.getNoBackupFilesDir();
    }
}
