package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A phone whose process can die at any step, with a screen, a disk, clocks that jump, and a network that fails. */
final class ScriptedPhone {
    /** What becomes of requests. */
    enum Mode { GOOD, NO_NETWORK, ANSWERS_LOST, REVOKED, FORBIDDEN, LIMITED, UNAVAILABLE, BROKEN, SWITCHED_OFF, LOGIN_PAGE }

    final ModelGateway gateway;
    final Random random;
    final Settings settings;
    final Map<String, LiveActivity> screen = new LinkedHashMap<>();
    Mode mode = Mode.GOOD;
    Machine machine;
    ActivityCalls calls;
    Answers answers;
    String disk;
    /** Milliseconds since the life began. */
    long elapsed;
    long clockOffset;
    private long bootOffset;
    int relaunches;
    boolean wasSwitchedOff;
    private int brokenLeft;

    ScriptedPhone(ModelGateway gateway, Random random) {
        this.gateway = gateway;
        this.random = random;
        settings = new Settings.Builder("https://gateway.test", "key", "udid").signer((user, udid) -> null)
            // A clock that is set forward ends no Live Activity within that.
            .longestLifeMillis(7L * 86_400_000).build();
        machine = new Machine(settings);
        wire();
        disk = KeptState.of(machine);
    }

    private void wire() {
        calls = new ActivityCalls(machine);
        answers = new Answers(machine);
    }

    Now now() {
        return new Now(1_800_000_000_000L + elapsed + clockOffset, bootOffset + elapsed);
    }

    /** As the driver does: first the disk, then the screen; it may die in between. */
    void commit(boolean diesBeforeScreen) {
        disk = KeptState.of(machine);
        for (Screen.Change change : machine.screen.take()) {
            if (diesBeforeScreen) continue;
            if (change.isShown) screen.put(change.activity.key(), change.activity);
            else screen.remove(change.activity.key());
        }
        machine.takeNotices();
    }

    void relaunch() {
        relaunches++;
        bootOffset = random.nextInt(1_000_000);
        try {
            machine = KeptState.load(settings, disk, now());
        } catch (JsonException never) {
            throw new AssertionError(never);
        }
        wire();
        machine.activities.restore(now());
        commit(false);
    }

    /** Sends the next upload, if there is one; {@code meanwhile} happens while it is under way. */
    boolean send(Runnable meanwhile, boolean diesUnderWay) {
        Upload upload = machine.next(now());
        commit(false);
        if (upload == null) return false;
        if (!machine.signatures.containsKey(upload.insiderId)) {
            machine.signatures.put(upload.insiderId, upload.insiderId + ":" + gateway.secret);
        }
        Request request = machine.request(upload);
        if (request == null) return true;
        Reply reply = carry(request);
        Machine asked = machine;
        meanwhile.run();
        if (diesUnderWay) relaunch();
        // An answer to a process that has died is heard by nobody.
        if (machine != asked) return true;
        answers.answered(upload, reply, now(), random.nextDouble());
        commit(false);
        return true;
    }

    private Reply carry(Request request) {
        try {
            switch (mode) {
                case NO_NETWORK:
                    return null;
                case ANSWERS_LOST:
                    gateway.answer(request);
                    return null;
                case REVOKED:
                    return ModelGateway.refusal(401, "UNAUTHORIZED");
                case FORBIDDEN:
                    return ModelGateway.refusal(403, "BLOCKED");
                case LIMITED:
                    return new Reply(429, 1 + random.nextInt(60), "{\"error\":\"no\",\"code\":\"RATE_LIMITED\"}");
                case UNAVAILABLE:
                    if (random.nextBoolean()) gateway.answer(request);
                    return new Reply(503, random.nextInt(9) - 1, "{\"error\":\"no\",\"code\":\"STORE_UNAVAILABLE\"}");
                case BROKEN:
                    if (brokenLeft-- <= 0) mode = Mode.GOOD;
                    if (random.nextBoolean()) gateway.answer(request);
                    return new Reply(500, -1, "{\"error\":\"no\",\"code\":\"INTERNAL\"}");
                case SWITCHED_OFF:
                    wasSwitchedOff = true;
                    if (request.method().equals("DELETE") && request.url().endsWith("/device")) {
                        Reply erased = gateway.answer(request);
                        if (erased.status() != 200) return erased;
                    }
                    return new Reply(202, -1, "{\"status\":\"success\"}");
                case LOGIN_PAGE:
                    return new Reply(random.nextBoolean() ? 200 : 302, -1, "<html>log in</html>");
                default:
                    return gateway.answer(request);
            }
        } catch (JsonException wrong) {
            throw new AssertionError("the request is not JSON: " + request.body(), wrong);
        }
    }

    void become(Mode next) {
        mode = next;
        brokenLeft = 2;
    }

    /** Time passes until nothing waits. */
    void rest() {
        mode = Mode.GOOD;
        for (int step = 0; step < 2_000; step++) {
            while (send(() -> { }, false)) continue;
            if (machine.outbox.all().isEmpty()) return;
            elapsed += Math.max(1, machine.nextAt() - now().monotonic);
        }
        List<String> kinds = new ArrayList<>();
        for (Upload upload : machine.outbox.all()) kinds.add(upload.kind + " " + upload.lane + " " + upload.strikes);
        throw new AssertionError("it does not come to rest: " + kinds);
    }
}
