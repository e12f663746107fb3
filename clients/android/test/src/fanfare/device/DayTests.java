package fanfare.device;

import java.util.Map;
import java.util.TreeMap;

/** How many requests a phone makes on a usual day, and how large they are. */
final class DayTests {
    private DayTests() {
    }

    static void add(Suite suite) {
        suite.add("a usual day: two matches with forty updates each, an order, six launches, one dismissal", DayTests::day);
    }

    private static void day() throws Exception {
        Rig rig = new Rig();
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.token("token", rig.now());
        rig.rest();
        int first = rig.told.size();
        rig.told.clear();
        rig.elapsed += 10 * 3_600_000;
        for (int hour = 0; hour < 24; hour++) {
            rig.elapsed += 3_600_000;
            if (hour % 4 == 0) {
                // A launch: the app says all that it knows.
                rig.relaunch();
                rig.machine.login("ann", Walk.facts(true, 0), rig.now());
                rig.machine.token("token", rig.now());
                rig.machine.foreground(rig.now());
            }
            if (hour == 9) rig.machine.follow("ajax", true, rig.now());
            if (hour == 14 || hour == 20) match(rig, "match" + hour, hour == 20);
            if (hour == 18) order(rig);
            rig.rest();
        }
        Map<String, Integer> counts = new TreeMap<>();
        long bytes = 0;
        for (String told : rig.told) {
            counts.merge(told.split("[ ?]")[0] + " " + told.split("[ ?]")[1], 1, Integer::sum);
            bytes += told.length();
        }
        System.out.println("        at the first login " + first + " requests, in a day " + rig.told.size() + ", "
            + bytes + " bytes of bodies and paths: " + counts);
        System.out.println("        what is kept has " + Names.utf8(KeptState.of(rig.machine)).length + " bytes at its end");
        Check.equal(11, rig.told.size(), "requests in a day");
    }

    private static void match(Rig rig, String id, boolean isDismissed) throws Exception {
        rig.message(id, "start", 1_000, "content_state", "{}", "title", "Kick-off");
        rig.rest();
        for (int update = 1; update <= 40; update++) {
            if (isDismissed && update == 30) {
                rig.calls.dismissed(id, false, rig.now());
                rig.rest();
            }
            rig.elapsed += 120_000;
            // A gateway that knows of the dismissal sends no more.
            String content = "{\"n\":" + update + "}";
            if (!isDismissed || update < 30) rig.message(id, "update", 1_000 + update, "content_state", content);
            if (update == 20) rig.calls.tapped(id, "tap", rig.now());
            rig.rest();
        }
        if (!isDismissed) rig.message(id, "end", 2_000);
        rig.rest();
    }

    private static void order(Rig rig) {
        ExternalName name = new ExternalName("Order", "4711", Scope.USER);
        rig.calls.open(name, "Your order", "is packed", "{}", null, rig.now());
        rig.calls.schedule(new Plan("p", name, rig.now().wall + 1_800_000, "end", null, null, null), rig.now());
    }
}
