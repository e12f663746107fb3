package android.os;

/** The framework class as far as tests need it: it works, and remembers. */
public class Build {
    /** Which Android this is. */
    public static class VERSION {
        public static final int SDK_INT = Integer.getInteger("android.api", 35);
        public static final String RELEASE = SDK_INT >= 36 ? "16" : "15";
    }
}
