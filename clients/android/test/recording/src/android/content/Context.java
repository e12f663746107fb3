package android.content;

import android.app.NotificationManager;
import android.app.job.JobScheduler;
import android.content.pm.PackageManager;
import java.io.File;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class Context {
    public abstract Context getApplicationContext();

    public abstract String getPackageName();

    public abstract PackageManager getPackageManager();

    public abstract File getNoBackupFilesDir();

    public final <T> T getSystemService(Class<T> type) {
        return type.cast(type == JobScheduler.class ? JobScheduler.INSTANCE : NotificationManager.INSTANCE);
    }
}
