package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** All that a machine knows, as the text that is kept on the disk. */
final class KeptState {
    private static final long FORMAT = 1;

    private KeptState() {
    }

    static String of(Machine machine) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("format", FORMAT);
        json.put("user", machine.insiderId);
        if (machine.facts != null) json.put("facts", machine.facts.toJson());
        json.put("token", machine.token);
        json.put("reported_device", machine.reportedDevice);
        json.put("reported_token", machine.reportedToken);
        json.put("reported_at", machine.reportedAt);
        json.put("signatures", machine.signatures);
        json.put("followed_at", machine.rules.followedAt);
        json.put("problem", machine.lastProblem);
        json.put("has_dropped", machine.hasDropped);
        json.put("dropped", machine.outbox.dropped);
        json.put("gate", machine.gate.toJson());
        json.put("uploads", machine.outbox.toJson());
        json.put("plans", machine.plans.toJson());
        json.put("follows", machine.follows.toJson());
        json.put("activities", machine.activities.toJson());
        return Json.write(json);
    }

    /** A machine that goes on where the other one was. */
    static Machine load(Settings settings, String text, Now now) throws JsonException {
        Map<String, Object> json = Json.parseObject(text);
        if (Json.number(json, "format", 0) != FORMAT) throw new JsonException("another format");
        Machine machine = new Machine(settings);
        machine.insiderId = Json.string(json, "user");
        machine.facts = DeviceFacts.fromJson(Json.object(json, "facts"));
        machine.token = Json.string(json, "token");
        machine.reportedDevice = Json.string(json, "reported_device");
        machine.reportedToken = Json.string(json, "reported_token");
        machine.reportedAt = Json.number(json, "reported_at", 0);
        for (Map.Entry<String, Object> signature : Json.object(json, "signatures").entrySet()) {
            machine.signatures.put(signature.getKey(), String.valueOf(signature.getValue()));
        }
        machine.rules.followedAt = Json.number(json, "followed_at", 0);
        String problem = Json.string(json, "problem");
        machine.lastProblem = problem == null ? "" : problem;
        machine.hasDropped = Json.flag(json, "has_dropped");
        machine.outbox.dropped = Json.number(json, "dropped", 0);
        machine.gate.load(Json.object(json, "gate"), now);
        machine.outbox.load(Json.objects(json, "uploads"), now);
        machine.plans.load(Json.objects(json, "plans"));
        machine.follows.load(Json.objects(json, "follows"));
        machine.activities.load(Json.objects(json, "activities"));
        return machine;
    }
}
