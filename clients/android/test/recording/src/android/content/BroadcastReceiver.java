package android.content;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class BroadcastReceiver {
    public abstract void onReceive(Context context, Intent intent);
}
