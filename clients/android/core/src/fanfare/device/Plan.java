package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** An update or end that the app has scheduled. */
final class Plan {
    final String id;
    final ExternalName name;
    /** Epoch milliseconds. */
    final long deliverAt;
    /** {@code update} or {@code end}. */
    final String event;
    /** JSON; null for none. */
    final String contentState;
    /** JSON; null for none. */
    final String options;
    /** Null for none. */
    final String label;
    /** The gateway's name for it; null as long as it has not told. */
    String scheduleId;

    Plan(String id, ExternalName name, long deliverAt, String event, String contentState, String options, String label) {
        this.id = id;
        this.name = name;
        this.deliverAt = deliverAt;
        this.event = event;
        this.contentState = contentState;
        this.options = options;
        this.label = label;
    }

    /** In how many seconds it is due. */
    long offset(Now now) {
        return Math.min(Math.max(0, (deliverAt - now.wall) / 1_000), 604_800);
    }

    /** What its request says beside the names of user, device and activity. */
    void putInto(Map<String, Object> body, long offset) {
        body.put("offset", offset);
        body.put("event", event);
        if (contentState != null) body.put("content_state", new Json.Raw(contentState));
        if (options != null) body.put("options", new Json.Raw(options));
        if (label != null) body.put("name", label);
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", id);
        name.putInto(json);
        json.put("at", deliverAt);
        json.put("event", event);
        if (contentState != null) json.put("content", contentState);
        if (options != null) json.put("options", options);
        if (label != null) json.put("label", label);
        if (scheduleId != null) json.put("schedule", scheduleId);
        return json;
    }

    /** Null when it is none. */
    static Plan fromJson(Map<String, Object> json) {
        String id = Json.string(json, "id");
        ExternalName name = ExternalName.from(json);
        String event = Json.string(json, "event");
        if (id == null || name == null || event == null) return null;
        Plan plan = new Plan(
            id, name, Json.number(json, "at", 0), event, Json.string(json, "content"), Json.string(json, "options"),
            Json.string(json, "label"));
        plan.scheduleId = Json.string(json, "schedule");
        return plan;
    }
}
