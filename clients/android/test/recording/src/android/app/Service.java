package android.app;

import android.content.ContextWrapper;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class Service extends ContextWrapper {
    public Service() {
        super(null);
    }
}
