package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A request that is made again as it is when its answer was lost: the gateway knows it by its key, and carries it out once.
 * Times are of the wall clock, in milliseconds.
 */
final class Attempt {
    /** A gateway forgets a key after an hour; the last request with it is to reach it before. */
    private static final long LIFETIME = 3_300_000;
    /** A schedule whose first request had no answer may be so late. */
    private static final long LATENESS = 60_000;

    final String key;
    /** Of a schedule: in how many seconds it is due. */
    final long offset;
    private final long at;
    /** Whether one of the requests may have been carried out. */
    boolean isInDoubt;

    Attempt(String key, long offset, long at) {
        this.key = key;
        this.offset = offset;
        this.at = at;
    }

    /** Whether the gateway may have forgotten the key; a clock that was set back leaves that open. */
    boolean isForgotten(Now now) {
        return now.wall < at || now.wall - at >= LIFETIME;
    }

    /** Whether what it has made may be due much later than it is wanted: the gateway counts from the request that arrived. */
    boolean isLate(Now now) {
        return now.wall < at || now.wall - at > LATENESS;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", key);
        json.put("offset", offset);
        json.put("at", at);
        json.put("doubt", isInDoubt);
        return json;
    }

    /** Null when it is none. */
    static Attempt fromJson(Map<String, Object> json) {
        String key = Json.string(json, "key");
        if (key == null) return null;
        Attempt attempt = new Attempt(key, Json.number(json, "offset", 0), Json.number(json, "at", 0));
        attempt.isInDoubt = Json.flag(json, "doubt");
        return attempt;
    }
}
