package fanfare.device;

/**
 * Is told what became of what was reported. The methods do nothing unless they are overridden. They are called on the upload
 * thread, one at a time; what they throw is passed over.
 */
public class DeviceListener {
    /** A report was given up; it is not sent again. */
    public void onRefused(Refusal refusal) {
    }

    /** {@link FanfareDevice#status()} has another {@link Status#pauseReason()}. */
    public void onStatusChanged(Status status) {
    }

    /** A tap was told to the gateway, which says what it belongs to. */
    public void onTapAttributed(TapAttribution attribution) {
    }

    /** What {@link FanfareDevice#bell} answers for some topic may have changed. */
    public void onBellsChanged() {
    }
}
