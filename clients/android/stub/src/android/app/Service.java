package android.app;

import android.content.ContextWrapper;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class Service extends ContextWrapper {
    public Service() {
        super(null);
    }
}
