package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** One report to the gateway that has yet to be taken. */
final class Upload {
    final long id;
    final Kind kind;
    /** For whom it is reported. */
    final String insiderId;
    /** What it is about: uploads of one lane go in order. */
    final String lane;
    /** What it says beside the names of user and device. */
    Map<String, Object> fields;
    /** Epoch milliseconds. */
    long createdAt;
    /** How often it was sent. */
    int attempts;
    /** How often the gateway was reached and could not take it. */
    int strikes;
    /** How often nothing more was sent for a while because of it. */
    int failures;
    /** Of a schedule: how often it was cancelled, for it may have been made, and was to be made anew. */
    int doubts;
    /** Of a schedule or its cancellation: the first of the requests that say the same; null before it. */
    Attempt attempt;
    /** Not before this moment of the monotonic clock. */
    long notBefore = Now.LONG_AGO;
    private long waitsSince;
    private long wait;
    /** Whether it was refused with a signature, and a fresh one is to be asked for; not kept on disk. */
    boolean isSignedAnew;

    Upload(long id, Kind kind, String insiderId, String lane, Map<String, Object> fields, long createdAt) {
        this.id = id;
        this.kind = kind;
        this.insiderId = insiderId;
        this.lane = lane;
        this.fields = fields;
        this.createdAt = createdAt;
    }

    /** It is not to be sent for a while; what is left of that outlives the process, whatever the wall clock does meanwhile. */
    void waitFor(long delay, Now now) {
        notBefore = now.monotonic + delay;
        waitsSince = now.wall;
        wait = delay;
    }

    String text(String name) {
        return Json.string(fields, name);
    }

    /** Whether the other one, if it is first in the queue, must be taken before this one. */
    boolean waitsFor(Upload earlier) {
        if (!insiderId.equals(earlier.insiderId)) return false;
        if (kind == Kind.ERASE || earlier.kind == Kind.ERASE || lane.equals(earlier.lane)) return true;
        // A Live Activity is opened by a device that the gateway knows.
        return earlier.kind == Kind.DEVICE && kind == Kind.SYNC && fields.containsKey("external_id");
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", id);
        json.put("kind", kind.name());
        json.put("user", insiderId);
        json.put("lane", lane);
        json.put("fields", fields);
        json.put("created", createdAt);
        json.put("attempts", (long) attempts);
        json.put("strikes", (long) strikes);
        json.put("failures", (long) failures);
        json.put("doubts", (long) doubts);
        if (attempt != null) json.put("attempt", attempt.toJson());
        json.put("since", waitsSince);
        json.put("wait", wait);
        return json;
    }

    /** Null when it is none. */
    static Upload fromJson(Map<String, Object> json, Now now) {
        Kind kind = Kind.named(Json.string(json, "kind"));
        String user = Json.string(json, "user");
        String lane = Json.string(json, "lane");
        if (kind == null || user == null || lane == null) return null;
        Upload upload = new Upload(
            Json.number(json, "id", 0), kind, user, lane, new LinkedHashMap<>(Json.object(json, "fields")),
            Json.number(json, "created", 0));
        upload.attempts = (int) Json.number(json, "attempts", 0);
        upload.strikes = (int) Json.number(json, "strikes", 0);
        upload.failures = (int) Json.number(json, "failures", 0);
        upload.doubts = (int) Json.number(json, "doubts", 0);
        upload.attempt = Attempt.fromJson(Json.object(json, "attempt"));
        long since = Json.number(json, "since", 0);
        long wait = Math.min(Json.number(json, "wait", 0), Backoff.LONGEST_RETRY_AFTER * 2);
        long left = Math.max(0, Math.min(wait, since + wait - now.wall));
        if (left > 0) upload.waitFor(left, now);
        return upload;
    }
}
