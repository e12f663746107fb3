package android.content;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class BroadcastReceiver {
    public abstract void onReceive(Context context, Intent intent);
}
