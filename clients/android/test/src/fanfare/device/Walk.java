package fanfare.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** One life of a scripted phone, and what must hold at its end. What is expected is kept apart from what the library keeps. */
final class Walk {
    private static final String[] USERS = {"ann", "bob"};
    private static final String[] TOPICS = {"a", "b", "c"};

    private final Random random;
    private final ModelGateway gateway = new ModelGateway();
    final ScriptedPhone phone;
    // What was wished.
    private String user;
    private String token;
    private DeviceFacts facts = facts(true, 0);
    private final Set<String> everIn = new HashSet<>();
    private final Map<String, Map<String, Boolean>> wishes = new HashMap<>();
    private final ExpectedPlans plans = new ExpectedPlans();
    // What was sent and delivered.
    private int session;
    private int messages;
    private final List<Map<String, String>> onTheirWay = new ArrayList<>();
    final ExpectedScreen expected = new ExpectedScreen();

    Walk(long seed) {
        random = new Random(seed);
        phone = new ScriptedPhone(gateway, random);
    }

    static DeviceFacts facts(boolean mayNotify, int version) {
        return new DeviceFacts("16", "1." + version, mayNotify, true);
    }

    void run(int steps) {
        login(USERS[0]);
        for (int step = 0; step < steps; step++) {
            if (random.nextInt(3) == 0) {
                boolean dies = random.nextInt(6) == 0;
                phone.send(() -> {
                    if (random.nextInt(3) == 0) act();
                }, dies);
            } else {
                act();
            }
            if (random.nextInt(12) == 0) phone.relaunch();
        }
        if (random.nextBoolean()) phone.relaunch();
        phone.rest();
        check();
    }

    private void act() {
        switch (random.nextInt(26)) {
            case 0:
            case 1:
                storm();
                break;
            case 2:
            case 3:
            case 4:
                wish(TOPICS[random.nextInt(TOPICS.length)], random.nextBoolean());
                break;
            case 5:
                facts = facts(random.nextBoolean(), random.nextInt(3));
                if (user != null) phone.machine.describe(facts, phone.now());
                break;
            case 6:
                phone.machine.foreground(phone.now());
                break;
            case 7:
            case 8:
            case 9:
                push();
                break;
            case 10:
            case 11:
            case 12:
            case 13:
                deliver();
                break;
            case 14:
                dismiss();
                break;
            case 15:
                for (String key : phone.screen.keySet()) phone.calls.tapped(key, "tap" + random.nextLong(), phone.now());
                break;
            case 16:
                open();
                break;
            case 17:
                plan();
                break;
            case 18:
                if (random.nextInt(4) == 0) leave();
                break;
            case 19:
                if (user == null || random.nextInt(4) == 0) login(USERS[random.nextInt(2)]);
                break;
            case 20:
                // The clock is set, by up to two days from the truth.
                phone.clockOffset = random.nextInt(4) == 0 ? (random.nextInt(97) - 48) * 3_600_000L : 0;
                break;
            case 21:
                phone.elapsed += random.nextInt(600_000);
                break;
            case 22:
                trouble();
                break;
            case 23:
                phone.machine.networkAvailable();
                break;
            case 24:
                // All signatures are void from now on.
                if (random.nextInt(3) == 0) gateway.secret++;
                break;
            default:
                showAgain();
                break;
        }
        phone.commit(false);
    }

    private void trouble() {
        ScriptedPhone.Mode[] modes = ScriptedPhone.Mode.values();
        phone.become(random.nextInt(2) == 0 ? ScriptedPhone.Mode.GOOD : modes[random.nextInt(modes.length)]);
        // An hour in the tunnel.
        if (phone.mode != ScriptedPhone.Mode.NO_NETWORK || random.nextInt(3) > 0) return;
        for (int minute = 0; minute < 60; minute++) {
            phone.elapsed += 60_000;
            phone.send(() -> { }, false);
        }
    }

    private void storm() {
        for (int count = random.nextInt(5); count >= 0; count--) {
            token = "token-" + random.nextInt(1_000_000);
            phone.machine.token(token, phone.now());
            if (random.nextBoolean()) phone.machine.token(token, phone.now());
        }
    }

    private void login(String next) {
        if (user != null && !user.equals(next)) forgetSession();
        if (user == null) session++;
        user = next;
        everIn.add(user);
        phone.machine.login(user, facts, phone.now());
        phone.commit(false);
    }

    private void leave() {
        if (user == null) return;
        phone.machine.logout(phone.now());
        forgetSession();
        user = null;
    }

    private void forgetSession() {
        session++;
        expected.clear();
        plans.clear();
    }

    private void wish(String topic, boolean isWanted) {
        if (user == null) return;
        Check.that(phone.machine.follow(topic, isWanted, phone.now()), "a wish is refused");
        wishes.computeIfAbsent(user, any -> new HashMap<>()).put(topic, isWanted);
        Bell bell = phone.machine.bell(topic);
        Check.that(isWanted == (bell != Bell.OFF), "the bell is not what was wished");
    }

    /** The customer does something to an activity; the message is on its way. */
    private void push() {
        if (user == null) return;
        String id = session + "-" + random.nextInt(3);
        boolean isOpened = random.nextInt(4) == 0;
        if (isOpened) {
            id = gateway.opened.get(user + "/T/x" + random.nextInt(2));
            if (id == null) return;
        }
        String event = isOpened ? "update" : new String[] {"start", "update", "update", "end"}[random.nextInt(4)];
        if (event.equals("start")) {
            gateway.started.add(user + " " + id);
            gateway.states.put(user + " " + id, "pending");
        } else if (!gateway.started.contains(user + " " + id)) {
            return;
        }
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", id);
        data.put("live_activity_event", event);
        data.put("live_activity_timestamp", String.valueOf(1_800_000_000 + 10 * ++messages));
        data.put("content_state", "{\"n\":" + messages + "}");
        if (random.nextBoolean()) data.put("title", "t" + messages);
        if (event.equals("end") && random.nextBoolean()) data.put("dismissal_date", "1");
        onTheirWay.add(data);
    }

    /** Messages come in any order, twice, or never. */
    private void deliver() {
        if (onTheirWay.isEmpty()) return;
        int index = random.nextInt(3) == 0 ? random.nextInt(onTheirWay.size()) : 0;
        Map<String, String> data = random.nextInt(5) == 0 ? onTheirWay.get(index) : onTheirWay.remove(index);
        if (random.nextInt(12) == 0) return;
        phone.calls.message(data, phone.now(), random.nextDouble());
        if (user != null) expected.delivered(data);
        boolean dies = random.nextInt(10) == 0;
        phone.commit(dies);
        if (dies) phone.relaunch();
    }

    private void dismiss() {
        List<String> keys = new ArrayList<>(phone.screen.keySet());
        if (keys.isEmpty()) return;
        String key = keys.get(random.nextInt(keys.size()));
        phone.screen.remove(key);
        phone.calls.dismissed(key, random.nextBoolean(), phone.now());
        expected.dismissed(key);
        // Whether the gateway has heard of the activity before is open.
        plans.areOpen(key);
    }

    private void showAgain() {
        List<String> keys = expected.dismissedKeys();
        if (keys.isEmpty()) return;
        String key = keys.get(random.nextInt(keys.size()));
        if (phone.calls.showAgain(key, phone.now())) expected.shownAgain(key);
    }

    private ExternalName name() {
        return new ExternalName("T", "x" + random.nextInt(2), Scope.USER);
    }

    private void open() {
        if (user == null) return;
        ExternalName name = name();
        String state = "{\"n\":" + ++messages + "}";
        Check.that(phone.calls.open(name, "t", null, state, null, phone.now()), "not opened");
        expected.opened(name.key(), user + "/T/" + name.externalId(), state);
    }

    private void plan() {
        int what = random.nextInt(6);
        ExternalName name = name();
        if (what == 0) {
            if (user == null) return;
            phone.calls.cancelAll(name, phone.now());
            plans.areCancelled(name.key());
        } else if (what < 3 && !plans.labels().isEmpty()) {
            String label = plans.labels().get(random.nextInt(plans.labels().size()));
            if (phone.calls.cancel(label, phone.now())) plans.isCancelled(label);
        } else {
            String label = "plan" + ++messages;
            Plan plan = new Plan(label, name, phone.now().wall + 6 * 86_400_000L, "update", "{}", null, label);
            if (phone.calls.schedule(plan, phone.now())) plans.isMade(label, name.key());
        }
    }

    // MARK: What must hold

    private void check() {
        for (String each : everIn) {
            ModelGateway.Phone known = gateway.phones.get(each);
            if (each.equals(user)) {
                Check.that(known != null, "the gateway does not know the phone");
                Check.equal(facts.toJson(), known.facts, "what the gateway knows of the phone");
                Check.equal(token, known.token, "the token that the gateway knows");
            } else {
                Check.that(known == null, "the gateway still has the phone of a user who has left");
            }
            Map<String, Boolean> wished = wishes.getOrDefault(each, new HashMap<>());
            TreeSet<String> followed = new TreeSet<>();
            wished.forEach((topic, isWanted) -> {
                if (isWanted) followed.add(topic);
            });
            Check.equal(followed, gateway.follows.getOrDefault(each, new TreeSet<>()), "what " + each + " follows");
            if (each.equals(user)) {
                Check.equal(followed, new TreeSet<>(phone.machine.follows.wanted()), "what the phone says is followed");
            }
        }
        expected.check(phone.screen, gateway, user, session);
        if (!phone.wasSwitchedOff && user != null) plans.check(gateway, user);
        if (user != null) Check.equal(PauseReason.NONE, phone.machine.gate.reason, "why it is paused");
    }
}
