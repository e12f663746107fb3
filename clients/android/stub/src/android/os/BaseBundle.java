package android.os;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class BaseBundle {
    public void putBoolean(String key, boolean value) {
        throw new UnsupportedOperationException("a declaration");
    }
}
