package android.os;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class Build {
    /** Which Android this is. */
    public static class VERSION {
        public static final int SDK_INT = Integer.parseInt("0");
        public static final String RELEASE = String.valueOf("");
    }
}
