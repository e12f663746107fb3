package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** Until when nothing is sent, and why. What is left of it outlives the process, whatever the wall clock does meanwhile. */
final class Gate {
    PauseReason reason = PauseReason.NONE;
    /** In a row. */
    int failures;
    /** By the monotonic clock. */
    long until = Now.LONG_AGO;
    private long setAt;
    private long length;

    void shut(PauseReason reason, long delay, Now now) {
        this.reason = reason;
        failures++;
        until = now.monotonic + delay;
        setAt = now.wall;
        length = delay;
    }

    /** Something was taken. */
    void open() {
        reason = PauseReason.NONE;
        failures = 0;
        until = Now.LONG_AGO;
        length = 0;
    }

    /** Lets the next upload try at once; how often it failed is not forgotten. */
    void tryNow() {
        until = Now.LONG_AGO;
        length = 0;
    }

    boolean isShut(Now now) {
        return now.monotonic < until;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("reason", reason.name());
        json.put("failures", (long) failures);
        json.put("set", setAt);
        json.put("length", length);
        return json;
    }

    void load(Map<String, Object> json, Now now) {
        String name = Json.string(json, "reason");
        for (PauseReason each : PauseReason.values()) {
            if (each.name().equals(name)) reason = each;
        }
        failures = (int) Json.number(json, "failures", 0);
        setAt = Json.number(json, "set", 0);
        length = Math.min(Json.number(json, "length", 0), Backoff.LONGEST_RETRY_AFTER * 2);
        // A clock that was set back makes it no longer than it was.
        long left = Math.max(0, Math.min(length, setAt + length - now.wall));
        until = left == 0 ? Now.LONG_AGO : now.monotonic + left;
    }
}
