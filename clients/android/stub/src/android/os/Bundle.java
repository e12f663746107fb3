package android.os;

/** The part of the framework class that the library uses: declarations, to compile against. */
public final class Bundle extends BaseBundle {
    public Bundle() {
        throw new UnsupportedOperationException("a declaration");
    }
}
