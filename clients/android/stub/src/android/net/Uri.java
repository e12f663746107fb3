package android.net;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class Uri {
    public static Uri fromParts(String scheme, String ssp, String fragment) {
        throw new UnsupportedOperationException("a declaration");
    }
}
