package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** One life, again and again: each time the process dies at the next step. */
final class EveryStepTests {
    private static final ExternalName CHEST = new ExternalName("T", "chest", Scope.USER);

    private final ModelGateway gateway = new ModelGateway();
    private final ScriptedPhone phone = new ScriptedPhone(gateway, new Random(3));
    private final int diesAt;
    private int steps;
    private int deaths;

    private EveryStepTests(int diesAt) {
        this.diesAt = diesAt;
    }

    static void add(Suite suite) {
        suite.add("a life whose process dies at each of its steps in turn, before and after the gateway has heard", () -> {
            int lives = 0;
            for (ScriptedPhone.Mode heard : new ScriptedPhone.Mode[] {ScriptedPhone.Mode.GOOD, ScriptedPhone.Mode.NO_NETWORK}) {
                for (int step = 0; true; step++) {
                    EveryStepTests life = new EveryStepTests(step);
                    try {
                        life.run(heard);
                    } catch (Throwable problem) {
                        throw new AssertionError("death at step " + step + ", " + heard + ": " + problem.getMessage(), problem);
                    }
                    lives++;
                    if (life.deaths == 0) break;
                }
            }
            System.out.println("        " + lives + " lives");
            Check.that(lives > 60, "there are only " + lives + " steps");
        });
    }

    /** What the app does; then all is sent that may be. */
    private void step(ScriptedPhone.Mode heard, Runnable act) {
        act.run();
        boolean dies = steps++ == diesAt;
        phone.commit(dies);
        if (dies) die();
        boolean wasSent = true;
        while (wasSent) {
            boolean diesUnderWay = steps++ == diesAt;
            // The request that is under way when the process dies gets through, or not.
            phone.mode = diesUnderWay ? heard : ScriptedPhone.Mode.GOOD;
            wasSent = phone.send(() -> { }, diesUnderWay);
            if (diesUnderWay && wasSent) deaths++;
            else if (diesUnderWay) die();
        }
    }

    private void die() {
        deaths++;
        phone.relaunch();
    }

    private void message(String id, String event, int time, String state) {
        if (event.equals("start")) gateway.started.add("ann " + id);
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", id);
        data.put("live_activity_event", event);
        data.put("live_activity_timestamp", String.valueOf(1_800_000_000 + time));
        data.put("content_state", state);
        phone.calls.message(data, phone.now(), 0);
    }

    private void run(ScriptedPhone.Mode heard) {
        step(heard, () -> phone.machine.login("bob", Walk.facts(true, 0), phone.now()));
        step(heard, () -> phone.machine.token("t1", phone.now()));
        step(heard, () -> phone.machine.follow("a", true, phone.now()));
        step(heard, () -> phone.machine.login("ann", Walk.facts(true, 0), phone.now()));
        step(heard, () -> phone.machine.follow("b", true, phone.now()));
        step(heard, () -> message("m", "start", 10, "{\"n\":1}"));
        step(heard, () -> message("n", "start", 20, "{\"n\":2}"));
        step(heard, () -> message("o", "start", 30, "{\"n\":3}"));
        step(heard, () -> phone.machine.token("t2", phone.now()));
        step(heard, () -> phone.calls.open(CHEST, "Chest", null, "{}", null, phone.now()));
        step(heard, () -> plan("p1"));
        step(heard, () -> plan("p2"));
        step(heard, () -> plan("p3"));
        step(heard, () -> phone.calls.cancel("p2", phone.now()));
        step(heard, () -> message("m", "update", 40, "{\"n\":4}"));
        step(heard, () -> phone.calls.dismissed("n", true, phone.now()));
        step(heard, () -> message("o", "end", 50, null));
        step(heard, () -> phone.calls.tapped("m", "tap1", phone.now()));
        step(heard, () -> phone.machine.follow("b", false, phone.now()));
        step(heard, () -> phone.machine.follow("c", true, phone.now()));
        step(heard, () -> phone.machine.describe(Walk.facts(false, 1), phone.now()));
        phone.rest();
        check();
    }

    private void plan(String label) {
        phone.calls.schedule(new Plan(label, CHEST, phone.now().wall + 86_400_000, "update", "{}", null, label), phone.now());
    }

    private void check() {
        Check.that(!gateway.phones.containsKey("bob"), "the gateway still has the phone of who has left");
        Check.equal("[a]", gateway.follows.get("bob").toString(), "what bob follows");
        Check.equal("[c]", gateway.follows.get("ann").toString(), "what ann follows");
        Check.equal("t2", gateway.phones.get("ann").token, "the token that the gateway knows");
        Check.equal(Walk.facts(false, 1).toJson(), gateway.phones.get("ann").facts, "what the gateway knows of the phone");
        TreeSet<String> labels = new TreeSet<>();
        for (ModelGateway.Schedule schedule : gateway.schedules) {
            Check.that(labels.add(schedule.label), schedule.label + " is there twice");
        }
        Check.equal("[p1, p3]", labels.toString(), "schedules");
        Check.equal("[tap1]", gateway.tapIds.toString(), "taps");
        Check.equal("shown", gateway.states.get("ann m"), "what the gateway knows of m");
        Check.equal("dismissed", gateway.states.get("ann n"), "what the gateway knows of n");
        TreeSet<String> shown = new TreeSet<>(phone.screen.keySet());
        Check.equal(new TreeSet<>(java.util.Arrays.asList("m", CHEST.key())), shown, "shown");
        Check.equal("{\"n\":4}", phone.screen.get("m").contentState(), "content");
    }
}
