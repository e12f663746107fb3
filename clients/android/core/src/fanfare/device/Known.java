package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is known of one Live Activity, also after it is gone: by that a late message is told from a new one. */
final class Known {
    enum State {
        /** An update came, and no start. */
        WAITING,
        SHOWN,
        /** By the user, while it went on. */
        DISMISSED,
        /** The final content may still be on the screen, see {@code visibleUntil}. */
        ENDED
    }

    final String key;
    String activityId;
    String type;
    ExternalName name;
    /** Who was logged in when it appeared. */
    String insiderId = "";
    State state;
    String title;
    String message;
    String contentState;
    String attributes;
    /** Epoch seconds, by the gateway's clock. */
    long timestamp;
    /** That of the newest start, in epoch seconds; 0 when there was none. */
    long startTimestamp;
    /** What gave the timestamp: an event, or {@code app}. */
    String lastEvent = "";
    /** Epoch seconds; 0 for never. */
    long staleDate;
    boolean wasShownStale;
    /** Epoch milliseconds; of an ended one. 0 when it is off the screen. */
    long visibleUntil;
    /** When it appeared on the screen, in epoch milliseconds by the phone's clock; 0 when it never did. */
    long shownAt;
    /** Which change of all gave the content. */
    long changeNumber;

    Known(String key, State state) {
        this.key = key;
        this.state = state;
    }

    Known(Known other) {
        this(other.key, other.state);
        activityId = other.activityId;
        type = other.type;
        name = other.name;
        insiderId = other.insiderId;
        title = other.title;
        message = other.message;
        contentState = other.contentState;
        attributes = other.attributes;
        timestamp = other.timestamp;
        startTimestamp = other.startTimestamp;
        lastEvent = other.lastEvent;
        staleDate = other.staleDate;
        wasShownStale = other.wasShownStale;
        visibleUntil = other.visibleUntil;
        shownAt = other.shownAt;
        changeNumber = other.changeNumber;
    }

    /** Takes over what a message says. */
    void take(PushMessage message) {
        timestamp = message.timestamp;
        lastEvent = message.event;
        if (lastEvent.equals(PushMessage.START)) startTimestamp = Math.max(startTimestamp, timestamp);
        if (message.type != null) type = message.type;
        if (message.contentState != null) contentState = message.contentState;
        if (message.attributes != null) attributes = message.attributes;
        if (message.title != null) title = message.title;
        if (message.message != null) this.message = message.message;
        staleDate = message.staleDate;
        wasShownStale = false;
    }

    /** Takes over the content of what came later, though it arrived before. */
    void takeNewer(Known newest) {
        timestamp = newest.timestamp;
        lastEvent = newest.lastEvent;
        if (newest.contentState != null) contentState = newest.contentState;
        if (newest.title != null) title = newest.title;
        if (newest.message != null) message = newest.message;
        staleDate = newest.staleDate;
    }

    boolean isStale(Now now) {
        return staleDate > 0 && staleDate * 1_000 <= now.wall;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", key);
        json.put("state", state.name());
        json.put("user", insiderId);
        put(json, "id", activityId);
        put(json, "type", type);
        if (name != null) name.putInto(json);
        put(json, "title", title);
        put(json, "message", message);
        put(json, "content", contentState);
        put(json, "attributes", attributes);
        json.put("timestamp", timestamp);
        json.put("start", startTimestamp);
        json.put("event", lastEvent);
        json.put("stale", staleDate);
        json.put("shown_stale", wasShownStale);
        json.put("until", visibleUntil);
        json.put("shown", shownAt);
        json.put("number", changeNumber);
        return json;
    }

    private static void put(Map<String, Object> json, String name, String value) {
        if (value != null) json.put(name, value);
    }

    /** Null when it is none. */
    static Known fromJson(Map<String, Object> json) {
        String key = Json.string(json, "key");
        State state = null;
        for (State each : State.values()) {
            if (each.name().equals(Json.string(json, "state"))) state = each;
        }
        if (key == null || state == null) return null;
        Known known = new Known(key, state);
        known.activityId = Json.string(json, "id");
        known.type = Json.string(json, "type");
        known.name = ExternalName.from(json);
        String user = Json.string(json, "user");
        known.insiderId = user == null ? "" : user;
        known.title = Json.string(json, "title");
        known.message = Json.string(json, "message");
        known.contentState = Json.string(json, "content");
        known.attributes = Json.string(json, "attributes");
        known.timestamp = Json.number(json, "timestamp", 0);
        known.startTimestamp = Json.number(json, "start", 0);
        String event = Json.string(json, "event");
        known.lastEvent = event == null ? "" : event;
        known.staleDate = Json.number(json, "stale", 0);
        known.wasShownStale = Json.flag(json, "shown_stale");
        known.visibleUntil = Json.number(json, "until", 0);
        known.shownAt = Json.number(json, "shown", 0);
        known.changeNumber = Json.number(json, "number", 0);
        return known;
    }
}
