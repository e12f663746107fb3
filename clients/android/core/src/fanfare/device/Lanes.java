package fanfare.device;

/** What uploads are about, as texts: those of one lane go in order. */
final class Lanes {
    static final String DEVICE = "device";
    static final String TOKEN = "token";
    static final String TOPICS = "topics";
    private static final String ACTIVITY = "activity/";
    private static final String TOPIC = "topic/";

    private Lanes() {
    }

    /** That of a Live Activity. */
    static String of(String key) {
        return ACTIVITY + key;
    }

    static String ofTopic(String topic) {
        return TOPIC + topic;
    }

    /** The key or topic; empty for the device's own lanes. */
    static String subject(String lane) {
        if (lane.startsWith(ACTIVITY)) return lane.substring(ACTIVITY.length());
        return lane.startsWith(TOPIC) ? lane.substring(TOPIC.length()) : "";
    }
}
