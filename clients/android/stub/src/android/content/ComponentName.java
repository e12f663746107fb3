package android.content;

/** The part of the framework class that the library uses: declarations, to compile against. */
public final class ComponentName {
    public ComponentName(Context context, Class<?> type) {
        throw new UnsupportedOperationException("a declaration");
    }
}
