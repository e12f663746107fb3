package fanfare.device;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes the request that an upload is. */
final class Requests {
    private static final String ROOT = "/api/v1/sdk/";

    private Requests() {
    }

    /**
     * @param activityId of the Live Activity that it is about; null when it is not known, or the upload is about none
     * @param plan of a schedule; else null
     * @param signature null for none
     */
    static Request of(Upload upload, Settings settings, String activityId, Plan plan, String signature) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("insider_id", upload.insiderId);
        body.put("udid", settings.udid);
        String key = Lanes.subject(upload.lane);
        String method = "POST";
        String path;
        switch (upload.kind) {
            case DEVICE:
                method = "PUT";
                path = "device";
                body.putAll(upload.fields);
                break;
            case TOKEN:
                method = "PUT";
                path = "registration-token";
                body.putAll(upload.fields);
                break;
            case ERASE:
                method = "DELETE";
                path = "device";
                break;
            case FOLLOW:
                method = Json.flag(upload.fields, "followed") ? "PUT" : "DELETE";
                path = "topics/" + escape(key) + "/follow";
                break;
            case SYNC:
                path = "sync";
                body.putAll(upload.fields);
                body.put("system_activity_id", Names.systemId(settings.udid, key));
                break;
            case DISMISSED:
                path = "dismissed";
                if (activityId != null) body.put("activity_id", activityId);
                else body.put("system_activity_id", Names.systemId(settings.udid, key));
                break;
            case TAP:
                path = "tap";
                body.put("system_activity_id", Names.systemId(settings.udid, key));
                body.putAll(upload.fields);
                break;
            case SCHEDULE:
                path = "schedule";
                plan.name.putInto(body);
                plan.putInto(body, upload.attempt.offset);
                break;
            case CANCEL:
                path = "schedule/cancel";
                body.putAll(upload.fields);
                break;
            default:
                method = "GET";
                path = "topics?insider_id=" + escape(upload.insiderId) + "&udid=" + escape(settings.udid);
                body = null;
                break;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("X-Sdk-Key", settings.sdkKey);
        headers.put("Accept", "application/json");
        if (signature != null) headers.put("X-Identity-Signature", signature);
        if (upload.attempt != null) headers.put("Idempotency-Key", upload.attempt.key);
        if (body != null) headers.put("Content-Type", "application/json");
        return new Request(method, settings.baseUrl + ROOT + path, headers, body == null ? null : Json.write(body));
    }

    private static String escape(String text) {
        try {
            return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
        } catch (UnsupportedEncodingException never) {
            throw new IllegalStateException(never);
        }
    }
}
