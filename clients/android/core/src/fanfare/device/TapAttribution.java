package fanfare.device;

/** What a tapped Live Activity belongs to. Immutable. */
public final class TapAttribution {
    private final String key;
    private final String activityId;
    private final String scheduleId;
    private final String scheduleName;

    TapAttribution(String key, String activityId, String scheduleId, String scheduleName) {
        this.key = key;
        this.activityId = activityId;
        this.scheduleId = scheduleId;
        this.scheduleName = scheduleName;
    }

    /** As {@link LiveActivity#key()}; not null. */
    public String key() {
        return key;
    }

    /** The activity; not null. */
    public String activityId() {
        return activityId;
    }

    /** The schedule that last drove it; null when it was none. */
    public String scheduleId() {
        return scheduleId;
    }

    /** Its name; null when it has none. */
    public String scheduleName() {
        return scheduleName;
    }
}
