package fanfare.device;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A marketing system. */
final class Customer {
    final String url;
    final String tenantId;
    final String apiKey;
    final String sdkKey;
    final String identitySecret;

    Customer(String url, Map<String, Object> keys) {
        this.url = url;
        tenantId = Json.string(keys, "tenant_id");
        apiKey = Json.string(keys, "api_key");
        sdkKey = Json.string(keys, "sdk_key");
        identitySecret = Json.string(keys, "identity_secret");
    }

    Map<String, Object> call(String method, String path, String body) throws Exception {
        Reply reply = new Call(method, url + "/api/v1/" + path).key(apiKey).body(body).send();
        Map<String, Object> answer = Json.parseObject(reply.body());
        answer.put("http", (long) reply.status());
        return answer;
    }

    Map<String, Object> good(String method, String path, String body) throws Exception {
        Map<String, Object> answer = call(method, path, body);
        Check.equal(200L, answer.get("http"), method + " " + path + ": " + Json.write(answer));
        return answer;
    }

    String register(String user) throws Exception {
        String ends = Instant.now().plusSeconds(3_600).toString();
        return Json.string(good("POST", "live-activity/register",
            "{\"activity_type\":\"Match\",\"insider_ids\":[\"" + user + "\"],\"ends_at\":\"" + ends + "\"}"), "activity_id");
    }

    Map<String, Object> act(String what, String id, String content) throws Exception {
        return call("POST", "live-activity/" + what,
            "{\"activity_id\":\"" + id + "\",\"activity_type\":\"Match\",\"content\":" + content + "}");
    }

    void topic(String topic, String state, String content) throws Exception {
        good("PUT", "topics/" + topic, "{\"activity_type\":\"Match\",\"state\":\"" + state + "\""
            + (content == null ? "" : ",\"content\":" + content) + "}");
    }

    /** How many devices of the activity are in this state. */
    long count(String id, String state) throws Exception {
        return Json.number(Json.object(good("GET", "live-activity/" + id, null), "counts"), state, 0);
    }

    List<Map<String, Object>> devices(String user) throws Exception {
        return Json.objects(call("GET", "users/" + user + "/devices", null), "devices");
    }

    /** A signature of version 2. */
    String sign(String user, String udid, long expiry) {
        try {
            byte[] names = Names.utf8("v2." + expiry + "." + Names.utf8(user).length + ":" + user + "."
                + Names.utf8(udid).length + ":" + udid);
            byte[] message = new byte[names.length + 1];
            message[0] = (byte) 0xFF;
            System.arraycopy(names, 0, message, 1, names.length);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Names.utf8(identitySecret), "HmacSHA256"));
            StringBuilder hex = new StringBuilder();
            for (byte each : mac.doFinal(message)) hex.append(String.format("%02x", each));
            return "v2." + expiry + "." + hex;
        } catch (java.security.GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }
}
