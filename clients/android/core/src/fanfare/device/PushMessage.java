package fanfare.device;

import java.util.Map;

/** The data of a message from the gateway: see docs/android-messages.md. */
final class PushMessage {
    static final String START = "start";
    static final String UPDATE = "update";
    static final String END = "end";

    String activityId;
    String event;
    /** Epoch seconds. */
    long timestamp;
    String type;
    String title;
    String message;
    String contentState;
    String attributes;
    /** Epoch seconds; 0 when it says none. */
    long staleDate;
    /** Epoch seconds; -1 when it says none. */
    long dismissalDate;

    private PushMessage() {
    }

    static boolean isOurs(Map<String, String> data) {
        return data.containsKey("live_activity_id") || data.containsKey("live_activity_event");
    }

    /** Null when it cannot be understood. */
    static PushMessage of(Map<String, String> data) {
        PushMessage message = new PushMessage();
        message.activityId = data.get("live_activity_id");
        message.event = data.get("live_activity_event");
        message.timestamp = seconds(data.get("live_activity_timestamp"), -1);
        message.type = data.get("live_activity_type");
        message.title = data.get("title");
        message.message = data.get("message");
        message.contentState = data.get("content_state");
        message.attributes = data.get("attributes");
        message.staleDate = seconds(data.get("stale_date"), 0);
        message.dismissalDate = seconds(data.get("dismissal_date"), -1);
        boolean isKnownEvent = START.equals(message.event) || UPDATE.equals(message.event) || END.equals(message.event);
        boolean hasId = message.activityId != null && !message.activityId.isEmpty() && message.activityId.length() <= 64;
        return isKnownEvent && hasId && message.timestamp > 0 ? message : null;
    }

    boolean alerts() {
        return title != null || message != null;
    }

    private static long seconds(String text, long fallback) {
        if (text == null) return fallback;
        try {
            // Dates may have a fraction; none lies after the year 9999.
            double value = Double.parseDouble(text);
            return value >= 0 && value < 253_402_300_800.0 ? (long) value : fallback;
        } catch (NumberFormatException none) {
            return fallback;
        }
    }
}
