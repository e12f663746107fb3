package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the messages that came, the user and the app say that must be on the screen; written from the rules, not the library.
 */
final class ExpectedScreen {
    private static final class Expected {
        boolean hasStart;
        boolean isOver;
        boolean isDismissed;
        boolean isOpened;
        long newest;
        String state;
        boolean staysAfterEnd;
    }

    private final Map<String, Expected> byKey = new LinkedHashMap<>();
    /** Of opened ones: the name at the gateway. */
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Map<String, Expected> byActivity = new LinkedHashMap<>();

    void clear() {
        byKey.clear();
        names.clear();
        byActivity.clear();
    }

    void delivered(Map<String, String> data) {
        String id = data.get("live_activity_id");
        Expected expected = id.startsWith("opened-") ? byActivity.computeIfAbsent(id, any -> new Expected())
            : byKey.computeIfAbsent(id, any -> new Expected());
        long time = Long.parseLong(data.get("live_activity_timestamp"));
        String event = data.get("live_activity_event");
        boolean isStart = event.equals("start");
        if (time <= expected.newest) {
            // The start of what an update has overtaken.
            if (isStart && !expected.hasStart && !expected.isOver && !expected.isOpened) expected.hasStart = true;
            return;
        }
        expected.newest = time;
        expected.state = data.get("content_state");
        if (isStart) {
            expected.hasStart = true;
            expected.isOver = false;
            expected.isDismissed = false;
        } else if (event.equals("end")) {
            boolean wasShown = expected.hasStart && !expected.isOver && !expected.isDismissed;
            expected.isOver = true;
            expected.isDismissed = false;
            expected.staysAfterEnd = wasShown && !data.containsKey("dismissal_date");
            // What comes after an end needs a start.
            expected.hasStart = true;
        }
    }

    void dismissed(String key) {
        Expected expected = byKey.get(key);
        if (expected == null) return;
        if (expected.isOver) expected.staysAfterEnd = false;
        else expected.isDismissed = true;
    }

    List<String> dismissedKeys() {
        List<String> keys = new ArrayList<>();
        byKey.forEach((key, expected) -> {
            if (expected.isDismissed) keys.add(key);
        });
        return keys;
    }

    void shownAgain(String key) {
        byKey.get(key).isDismissed = false;
    }

    void opened(String key, String name, String state) {
        Expected expected = byKey.computeIfAbsent(key, any -> new Expected());
        expected.isOpened = true;
        expected.hasStart = true;
        expected.isOver = false;
        expected.isDismissed = false;
        expected.state = state;
        names.put(key, name);
    }

    void check(Map<String, LiveActivity> screen, ModelGateway gateway, String user, int session) {
        if (user == null) {
            Check.that(screen.isEmpty(), "something is shown after the logout: " + screen);
            return;
        }
        for (Map.Entry<String, Expected> each : byKey.entrySet()) {
            Expected expected = each.getValue();
            LiveActivity shown = screen.get(each.getKey());
            if (expected.isOpened) {
                checkOpened(each.getKey(), expected, shown);
                continue;
            }
            boolean isOfUser = gateway.started.contains(user + " " + each.getKey());
            boolean isExpected = isOfUser && expected.hasStart && !expected.isDismissed && !expected.isOver;
            boolean isOngoing = shown != null && shown.isOngoing();
            Check.equal(isExpected, isOngoing, each.getKey() + " of session " + session + " is shown");
            if (isExpected) Check.equal(expected.state, shown.contentState(), each.getKey() + " shows");
        }
        for (LiveActivity shown : screen.values()) {
            Check.that(byKey.containsKey(shown.key()), "something is shown that nobody has started: " + shown);
        }
    }

    private void checkOpened(String key, Expected expected, LiveActivity shown) {
        boolean isOngoing = shown != null && shown.isOngoing();
        Check.equal(!expected.isDismissed, isOngoing, key + " is shown");
    }
}
