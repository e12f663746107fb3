package android.content;

/** The framework class as far as tests need it: it works, and remembers. */
public final class ComponentName {
    public final Class<?> type;

    public ComponentName(Context context, Class<?> type) {
        this.type = type;
    }
}
