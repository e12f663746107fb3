package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which schedules the gateway must have in the end: kept apart from what the library keeps. */
final class ExpectedPlans {
    private static final class Expected {
        String key;
        int count = 1;
        boolean isOpen;
    }

    private final Map<String, Expected> byLabel = new LinkedHashMap<>();

    void clear() {
        byLabel.clear();
    }

    List<String> labels() {
        return new ArrayList<>(byLabel.keySet());
    }

    void isMade(String label, String key) {
        Expected expected = new Expected();
        expected.key = key;
        byLabel.put(label, expected);
    }

    void isCancelled(String label) {
        byLabel.get(label).count = 0;
    }

    void areCancelled(String key) {
        for (Expected expected : byLabel.values()) {
            if (expected.key.equals(key)) expected.count = 0;
        }
    }

    /** Nothing is expected any more of those of this Live Activity. */
    void areOpen(String key) {
        for (Expected expected : byLabel.values()) {
            if (expected.key.equals(key)) expected.isOpen = true;
        }
    }

    void check(ModelGateway gateway, String user) {
        for (Map.Entry<String, Expected> plan : byLabel.entrySet()) {
            if (plan.getValue().isOpen) continue;
            int made = 0;
            for (ModelGateway.Schedule schedule : gateway.schedules) {
                if (schedule.user.equals(user) && plan.getKey().equals(schedule.label)) made++;
            }
            Check.equal(plan.getValue().count, made, "how often the gateway has " + plan.getKey());
        }
    }
}
