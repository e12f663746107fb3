package fanfare.device;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the mock of FCM has accepted, by registration token. */
final class Ledger {
    private final String control;
    private long read;
    private final Map<String, List<Map<String, String>>> messages = new LinkedHashMap<>();

    Ledger(String control) {
        this.control = control;
    }

    /** The messages to a token so far, in the order in which they were accepted. */
    synchronized List<Map<String, String>> of(String token) throws Exception {
        poll();
        return new ArrayList<>(messages.getOrDefault(token, new ArrayList<>()));
    }

    /** How the mock behaves from now on. */
    void script(String script) throws Exception {
        Check.equal(204, new Call("PUT", control + "/mock/script").body(script).send().status(), "the script");
    }

    private void poll() throws Exception {
        for (String line : new Call("GET", control + "/mock/ledger?since=" + read).send().body().split("\n")) {
            if (line.isEmpty()) continue;
            read++;
            Map<String, Object> entry = Json.parseObject(line);
            if (Json.number(entry, "status", 0) != 200) continue;
            String body = new String(Base64.getDecoder().decode(Json.string(entry, "body")), StandardCharsets.UTF_8);
            Map<String, String> data = new LinkedHashMap<>();
            Map<String, Object> message = Json.object(Json.parseObject(body), "message");
            for (Map.Entry<String, Object> each : Json.object(message, "data").entrySet()) {
                data.put(each.getKey(), (String) each.getValue());
            }
            messages.computeIfAbsent(Json.string(entry, "token"), any -> new ArrayList<>()).add(data);
        }
    }
}
