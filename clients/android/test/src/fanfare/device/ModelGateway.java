package fanfare.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What the contract says of a gateway, as far as a phone sees it, in memory. */
final class ModelGateway {
    static final class Phone {
        Map<String, Object> facts;
        String token;
    }

    static final class Schedule {
        String id;
        String activityId;
        String user;
        String label;
    }

    /** By user; all have the same udid. */
    final Map<String, Phone> phones = new HashMap<>();
    final Map<String, TreeSet<String>> follows = new HashMap<>();
    final List<Schedule> schedules = new ArrayList<>();
    /** Bodies and answers of requests with a key. */
    private final Map<String, String[]> answers = new HashMap<>();
    /** Opened activities by user's or shared name. */
    final Map<String, String> opened = new HashMap<>();
    /** user + activity -> shown, dismissed. */
    final Map<String, String> states = new HashMap<>();
    final Map<String, String> names = new HashMap<>();
    final TreeSet<String> tapIds = new TreeSet<>();
    /** Signatures must end with it. */
    int secret = 1;
    int requests;
    /** Activities that a start was pushed for, to whom. */
    final TreeSet<String> started = new TreeSet<>();

    /** The answer, when nothing is out of order. */
    Reply answer(Request request) throws JsonException {
        String key = request.headers().get("Idempotency-Key");
        if (key == null) return carryOut(request);
        String[] known = answers.get(request.url() + " " + key);
        if (known != null) {
            return known[0].equals(request.body()) ? new Reply(200, -1, known[1]) : refusal(422, "IDEMPOTENCY_KEY_REUSED");
        }
        Reply reply = carryOut(request);
        if (reply.status() == 200) answers.put(request.url() + " " + key, new String[] {request.body(), reply.body()});
        return reply;
    }

    private Reply carryOut(Request request) throws JsonException {
        requests++;
        String path = request.url().replaceAll("^https?://[^/]+/api/v1/sdk/", "");
        if (!"key".equals(request.headers().get("X-Sdk-Key"))) return refusal(401, "UNAUTHORIZED");
        if (request.method().equals("GET")) return topics(path);
        Map<String, Object> body = Json.parseObject(request.body());
        String user = Json.string(body, "insider_id");
        String signature = request.headers().get("X-Identity-Signature");
        if (!(user + ":" + secret).equals(signature)) return refusal(401, "UNAUTHORIZED");
        if (!"udid".equals(Json.string(body, "udid"))) return refusal(400, "VALIDATION_FAILED");
        switch (request.method() + " " + path) {
            case "PUT device":
                Map<String, Object> facts = new LinkedHashMap<>(body);
                facts.remove("insider_id");
                facts.remove("udid");
                phone(user).facts = facts;
                return success("");
            case "PUT registration-token":
                phone(user).token = Json.string(body, "token");
                return success("");
            case "DELETE device":
                phones.remove(user);
                return success("");
            case "POST sync":
                return sync(user, body);
            case "POST dismissed":
                return dismissed(user, body);
            case "POST tap":
                String tapped = names.get(user + Json.string(body, "system_activity_id"));
                if (tapped == null) return refusal(404, "NOT_FOUND");
                tapIds.add(Json.string(body, "tap_id"));
                return success(",\"activity_id\":\"" + tapped + "\"");
            case "POST schedule":
                return schedule(user, body);
            case "POST schedule/cancel":
                return cancel(user, body);
            default:
                return follow(user, request.method(), path);
        }
    }

    private Phone phone(String user) {
        return phones.computeIfAbsent(user, any -> new Phone());
    }

    private Reply topics(String path) {
        String user = path.replaceAll(".*insider_id=([^&]*).*", "$1");
        StringBuilder list = new StringBuilder();
        for (String topic : follows.getOrDefault(user, new TreeSet<>())) {
            list.append(list.length() == 0 ? "" : ",").append("{\"topic\":\"").append(topic).append("\"}");
        }
        return success(",\"topics\":[" + list + "]");
    }

    private Reply follow(String user, String method, String path) {
        if (!path.matches("topics/[a-z0-9]+/follow")) return refusal(404, "NOT_FOUND");
        String topic = path.split("/")[1];
        TreeSet<String> topics = follows.computeIfAbsent(user, any -> new TreeSet<>());
        if (method.equals("PUT")) topics.add(topic);
        else topics.remove(topic);
        return success(",\"state\":\"live\"");
    }

    private String name(String user, Map<String, Object> body) {
        String owner = "user".equals(Json.string(body, "external_scope")) ? user : "";
        return owner + "/" + Json.string(body, "activity_type") + "/" + Json.string(body, "external_id");
    }

    private Reply sync(String user, Map<String, Object> body) {
        String id = Json.string(body, "activity_id");
        if (id == null) {
            if (!phones.containsKey(user) || phones.get(user).facts == null) return refusal(404, "NOT_FOUND");
            String name = name(user, body);
            id = opened.computeIfAbsent(name, any -> "opened-" + opened.size());
            started.add(user + " " + id);
        }
        if (!started.contains(user + " " + id)) return refusal(404, "NOT_FOUND");
        names.put(user + Json.string(body, "system_activity_id"), id);
        if (!"dismissed".equals(states.get(user + " " + id))) states.put(user + " " + id, "shown");
        return success(",\"activity_id\":\"" + id + "\"");
    }

    private Reply dismissed(String user, Map<String, Object> body) {
        String id = Json.string(body, "activity_id");
        if (id == null) id = names.get(user + Json.string(body, "system_activity_id"));
        if (id == null || !started.contains(user + " " + id)) return refusal(404, "NOT_FOUND");
        states.put(user + " " + id, "dismissed");
        return success(",\"activity_id\":\"" + id + "\"");
    }

    private Reply schedule(String user, Map<String, Object> body) {
        String id = opened.get(name(user, body));
        if (id == null) return refusal(404, "NOT_FOUND");
        Schedule schedule = new Schedule();
        schedule.id = "s" + requests;
        schedule.activityId = id;
        schedule.user = user;
        schedule.label = Json.string(body, "name");
        schedules.add(schedule);
        return success(",\"activity_id\":\"" + id + "\",\"schedule_id\":\"" + schedule.id + "\"");
    }

    private Reply cancel(String user, Map<String, Object> body) {
        String id = opened.get(name(user, body));
        if (id == null) return refusal(404, "NOT_FOUND");
        String one = Json.string(body, "schedule_id");
        int canceled = 0;
        for (Iterator<Schedule> each = schedules.iterator(); each.hasNext();) {
            Schedule schedule = each.next();
            boolean isMeant = schedule.user.equals(user) && schedule.activityId.equals(id);
            if (!isMeant || (one != null && !one.equals(schedule.id))) continue;
            each.remove();
            canceled++;
        }
        return success(",\"canceled\":" + canceled);
    }

    static Reply success(String more) {
        return new Reply(200, -1, "{\"status\":\"success\"" + more + "}");
    }

    static Reply refusal(int status, String code) {
        return new Reply(status, -1, "{\"error\":\"no\",\"code\":\"" + code + "\"}");
    }
}
