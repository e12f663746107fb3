package fanfare.device.android;

import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import java.io.File;

/** An app's context. */
final class TestContext extends Context {
    private final File folder;

    TestContext(File folder) {
        this.folder = folder;
    }

    void deleteFiles() {
        File[] kept = new File(folder, "fanfare").listFiles();
        if (kept != null) {
            for (File each : kept) each.delete();
        }
        new File(folder, "fanfare").delete();
        folder.delete();
    }

    @Override
    public Context getApplicationContext() {
        return this;
    }

    @Override
    public String getPackageName() {
        return "com.example.shop";
    }

    @Override
    public File getNoBackupFilesDir() {
        return folder;
    }

    @Override
    public PackageManager getPackageManager() {
        return new PackageManager() {
            @Override
            public Intent getLaunchIntentForPackage(String name) {
                return new Intent(TestContext.this, TestContext.class).setAction("main");
            }

            @Override
            public PackageInfo getPackageInfo(String name, int flags) {
                PackageInfo info = new PackageInfo();
                info.versionName = "7.4.0";
                return info;
            }
        };
    }
}
