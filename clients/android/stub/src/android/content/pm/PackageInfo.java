package android.content.pm;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class PackageInfo {
    public String versionName;
}
