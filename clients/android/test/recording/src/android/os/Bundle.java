package android.os;

/** The framework class as far as tests need it: it works, and remembers. */
public final class Bundle extends BaseBundle {
}
