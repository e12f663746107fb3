package android.content.pm;

/** The framework class as far as tests need it: it works, and remembers. */
public class PackageInfo {
    public String versionName;
}
