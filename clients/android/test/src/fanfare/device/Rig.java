package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A machine whose time and answers a test decides. */
final class Rig {
    final Settings settings;
    Machine machine;
    ActivityCalls calls;
    Answers answers;
    final List<Refusal> refusals = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    final Map<String, LiveActivity> screen = new LinkedHashMap<>();
    int alerts;
    long elapsed = 1_000;
    long wallOffset = 1_800_000_000_000L;

    Rig() {
        this(new Settings.Builder("https://gateway.test", "key", "udid").syncSpreadMillis(0).build());
    }

    Rig(Settings settings) {
        this.settings = settings;
        use(new Machine(settings));
    }

    private void use(Machine machine) {
        this.machine = machine;
        calls = new ActivityCalls(machine);
        answers = new Answers(machine);
    }

    static Rig loggedIn() {
        Rig rig = new Rig();
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.token("token", rig.now());
        rig.rest();
        rig.told.clear();
        return rig;
    }

    Now now() {
        return new Now(wallOffset + elapsed, elapsed);
    }

    void relaunch() throws JsonException {
        use(KeptState.load(settings, KeptState.of(machine), now()));
    }

    void paint() {
        for (Screen.Change change : machine.screen.take()) {
            if (change.isShown) screen.put(change.activity.key(), change.activity);
            else screen.remove(change.activity.key());
            if (change.alerts) alerts++;
        }
        for (Notice notice : machine.takeNotices()) {
            notice.tell(new DeviceListener() {
                @Override
                public void onRefused(Refusal refusal) {
                    refusals.add(refusal);
                }
            });
        }
    }

    /** Sends the next upload and answers it; what was sent, or null. */
    String answer(Reply reply) {
        Upload upload = machine.next(now());
        if (upload == null) return null;
        Request request = machine.request(upload);
        if (request == null) return "nothing";
        answers.answered(upload, reply, now(), 0.5);
        paint();
        String line = request.method() + " " + request.url().replaceAll(".*/sdk/", "") + " " + request.body();
        told.add(line);
        return line;
    }

    String answer(int status, String code) {
        return answer(status == 200 ? ModelGateway.success("") : ModelGateway.refusal(status, code));
    }

    /** All that may be sent now is taken. */
    void rest() {
        while (answer(ModelGateway.success(",\"topics\":[]")) != null) continue;
    }

    /** How long nothing is sent. */
    long waits() {
        return machine.nextAt() == Long.MAX_VALUE ? -1 : Math.max(0, machine.nextAt() - elapsed);
    }

    Handled message(String id, String event, long timestamp, String... more) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", id);
        data.put("live_activity_event", event);
        data.put("live_activity_timestamp", String.valueOf(timestamp));
        for (int index = 0; index < more.length; index += 2) data.put(more[index], more[index + 1]);
        Handled handled = calls.message(data, now(), 0);
        paint();
        return handled;
    }
}
