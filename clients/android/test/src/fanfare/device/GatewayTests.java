package fanfare.device;

import java.util.Map;

/** The library against a gateway that runs. */
final class GatewayTests {
    private static final String KICK_OFF =
        "{\"title\":\"Kick-off\",\"message\":\"0:0\",\"content_state\":{\"n\": 1.0},\"attributes\":{\"a\" :[1e3]}}";

    private final Stack stack;
    private final Customer customer;

    private GatewayTests(Stack stack, Customer customer) {
        this.stack = stack;
        this.customer = customer;
    }

    static void add(Suite suite, Stack stack, Customer customer) {
        GatewayTests tests = new GatewayTests(stack, customer);
        suite.add("gateway: registered, started, shown, synced, updated, ended, as the customer sees it", tests::life);
        suite.add("gateway: a dismissed Live Activity gets no update, and a restart of this phone shows it again",
            tests::dismissed);
        suite.add("gateway: a topic that is followed, dismissed and followed again; what another phone does", tests::topic);
        suite.add("gateway: unfollowed and followed again within a second", tests::hasty);
        suite.add("gateway: an activity that the app opens: update, schedule, tap, cancellation, end", tests::opened);
        suite.add("gateway: a token that rotates while a Live Activity is shown brings the end that was missed",
            tests::rotated);
        suite.add("gateway: a logout forgets the phone, and keeps the wishes", tests::logout);
        suite.add("gateway: 401 for key and signature, 429 by quota, 202 when switched off, 400", tests::refusals);
    }

    private void life() throws Exception {
        try (LivePhone phone = new LivePhone(customer, "life", 1)) {
            phone.login();
            phone.flush();
            String id = customer.register(phone.user);
            Check.equal(200L, customer.act("start", id, KICK_OFF).get("http"), "start");
            Check.equal(Handled.SHOWN, phone.next(stack.ledger), "start");
            LiveActivity shown = phone.screen.of(id);
            Check.equal("{\"n\": 1.0}", shown.contentState(), "content");
            Check.equal("{\"a\" :[1e3]}", shown.attributes(), "attributes");
            Check.equal("Match", shown.activityType(), "type");
            Check.equal("Kick-off 0:0", shown.title() + " " + shown.message(), "texts");
            phone.flush();
            Check.equal(1L, customer.count(id, "active"), "active devices");
            phone.relaunch();
            Map<String, Object> update = customer.act("update", id, "{\"content_state\":{\"n\":2}}");
            Check.equal(1L, update.get("sessions_triggered"), "update: " + Json.write(update));
            Check.equal(Handled.UPDATED, phone.next(stack.ledger), "update");
            Check.equal("{\"n\":2}", phone.screen.of(id).contentState(), "content");
            phone.device.onTapped(id);
            phone.flush();
            Check.eventually("the attribution", () -> phone.taps.size() == 1);
            Check.equal(id, phone.taps.get(0).activityId(), "what was tapped");
            customer.act("end", id, "{\"content_state\":{\"n\":3}}");
            Check.equal(Handled.ENDED, phone.next(stack.ledger), "end");
            Check.that(!phone.screen.of(id).isOngoing(), "it goes on");
            Check.that(phone.refusals.isEmpty(), phone.refusals.toString());
        }
    }

    private void dismissed() throws Exception {
        try (LivePhone phone = new LivePhone(customer, "dismissed", 2)) {
            phone.login();
            phone.flush();
            String id = customer.register(phone.user);
            customer.act("start", id, KICK_OFF);
            phone.next(stack.ledger);
            phone.flush();
            phone.screen.shown.clear();
            Check.that(phone.device.onDismissed(id), "it was not shown");
            phone.flush();
            Check.equal(422L, customer.act("update", id, "{\"content_state\":{}}").get("http"), "update");
            customer.good("POST", "live-activity/restart",
                "{\"activity_id\":\"" + id + "\",\"activity_type\":\"Match\",\"content\":" + KICK_OFF
                + ",\"target_devices\":[{\"insider_id\":\"dismissed\",\"udid\":\"" + phone.udid + "\"}]}");
            Check.equal(Handled.SHOWN, phone.next(stack.ledger), "restart");
            phone.flush();
            Check.equal(1L, customer.count(id, "active"), "active devices");
            customer.act("end", id, "{}");
            Check.equal(Handled.ENDED, phone.next(stack.ledger), "end");
            Check.equal(0, phone.screen.count(), "shown");
        }
    }

    private void topic() throws Exception {
        customer.topic("derby", "upcoming", null);
        try (LivePhone phone = new LivePhone(customer, "fan", 3); LivePhone nobody = new LivePhone(customer, "nobody", 4)) {
            phone.login();
            nobody.login();
            phone.device.follow("derby");
            phone.device.follow("no-such-topic");
            Check.equal(Bell.PENDING, phone.device.bell("derby"), "bell");
            phone.flush();
            Check.equal(Bell.LIVE, phone.device.bell("derby"), "bell");
            Check.equal(Bell.OFF, phone.device.bell("no-such-topic"), "bell of no topic");
            Check.eventually("what is told", () -> phone.refusals.size() == 1);
            Check.equal("NOT_FOUND", phone.refusals.get(0).code(), "code");
            customer.topic("derby", "live", KICK_OFF);
            Check.equal(Handled.SHOWN, phone.next(stack.ledger), "start");
            phone.flush();
            String key = phone.device.shown().get(0).key();
            phone.device.onDismissed(key);
            phone.flush();
            Check.equal(Bell.OFF, phone.device.bell("derby"), "bell after the dismissal");
            // A user takes longer than this.
            Thread.sleep(1_000);
            phone.device.follow("derby");
            phone.flush();
            Check.equal(Handled.SHOWN, phone.next(stack.ledger), "start again");
            phone.flush();
            customer.topic("derby", "live", "{\"content_state\":{\"n\":7}}");
            Check.equal(Handled.UPDATED, phone.next(stack.ledger), "update");
            Check.equal("{\"n\":7}", phone.screen.of(key).contentState(), "content");
            phone.device.unfollow("derby");
            phone.flush();
            Check.equal(Handled.ENDED, phone.next(stack.ledger), "end by the unfollow");
            customer.topic("derby", "ended", "{\"content_state\":{\"n\":8}}");
            Check.equal(0, stack.ledger.of(nobody.token).size(), "messages to who does not follow");
        }
    }

    private void hasty() throws Exception {
        customer.topic("hasty", "live", KICK_OFF);
        try (LivePhone phone = new LivePhone(customer, "hasty", 5)) {
            phone.login();
            phone.device.follow("hasty");
            phone.flush();
            Check.equal(Handled.SHOWN, phone.next(stack.ledger), "start");
            phone.flush();
            for (int pause : new int[] {0, 300, 700}) {
                phone.device.unfollow("hasty");
                phone.flush();
                Thread.sleep(pause);
                phone.device.follow("hasty");
                phone.flush();
                Thread.sleep(1_000);
                Check.eventually("it on the screen after a pause of " + pause + " ms", () -> {
                    phone.receive(stack.ledger);
                    phone.flush();
                    return phone.device.shown().size() == 1;
                });
            }
            customer.topic("hasty", "ended", null);
        }
    }

    private void opened() throws Exception {
        ExternalName name = new ExternalName("Order", "order-4711", Scope.USER);
        try (LivePhone phone = new LivePhone(customer, "buyer", 6)) {
            phone.login();
            String key = phone.device.open(name, new Content("Your order", "is packed", "{\"eta\":30}", null));
            Check.that(phone.screen.of(key) != null, "it is not shown at once");
            phone.flush();
            String activity = phone.device.shown().get(0).activityId();
            String body = "{\"activity_type\":\"Order\",\"external_id\":\"order-4711\",\"insider_id\":\"buyer\",\"content\":";
            customer.good("POST", "live-activity/update", body + "{\"content_state\":{\"eta\":20}}}");
            Check.equal(Handled.UPDATED, phone.next(stack.ledger), "update");
            Check.equal("{\"eta\":20}", phone.screen.of(key).contentState(), "content");
            phone.device.schedule(name, 500, "{\"eta\": 10}", false, null, "at the door");
            String other = phone.device.schedule(name, 3_600_000, null, true, null, null);
            phone.flush();
            Check.equal(1L, waiting(activity), "schedules that wait");
            Check.equal(Handled.UPDATED, phone.next(stack.ledger), "the schedule");
            Check.equal("{\"eta\": 10}", phone.screen.of(key).contentState(), "content");
            phone.device.onTapped(key);
            phone.flush();
            Check.eventually("the attribution", () -> phone.taps.size() == 1);
            Check.equal("at the door", phone.taps.get(0).scheduleName(), "what drove it");
            Check.that(phone.device.cancelSchedule(other), "it is not known");
            phone.flush();
            Check.equal(0L, waiting(activity), "schedules that wait");
            customer.good("POST", "live-activity/end", body + "{\"content_state\":{\"eta\":0}}}");
            Check.equal(Handled.ENDED, phone.next(stack.ledger), "end");
            Check.that(phone.device.shown().isEmpty(), "it is shown");
        }
    }

    /** Those that are due later than in a minute. */
    private long waiting(String activity) throws Exception {
        Map<String, Object> list = customer.good("GET", "live-activity/schedule?activity_id=" + activity, null);
        return Json.number(list, "user_schedules", 0) > 0 ? 1 : 0;
    }

    private void rotated() throws Exception {
        try (LivePhone phone = new LivePhone(customer, "rotator", 7)) {
            phone.login();
            phone.flush();
            String id = customer.register(phone.user);
            customer.act("start", id, KICK_OFF);
            phone.next(stack.ledger);
            phone.flush();
            phone.rotate();
            phone.flush();
            // The token is dead before the app has another one.
            stack.ledger.script("{\"rules\":[{\"tokens\":[\"" + phone.token + "\"],\"error\":\"UNREGISTERED\"}]}");
            customer.act("end", id, "{}");
            stack.ledger.script("{}");
            phone.rotate();
            phone.flush();
            Check.eventually("the end once more", () -> stack.ledger.of(phone.token).size() == 1);
            Check.equal(Handled.ENDED, phone.device.handleMessage(stack.ledger.of(phone.token).get(0)), "end");
            Check.equal(0, phone.screen.count(), "shown");
        }
    }

    private void logout() throws Exception {
        customer.topic("season", "upcoming", null);
        try (LivePhone phone = new LivePhone(customer, "leaver", 8)) {
            phone.login();
            phone.flush();
            Check.equal(1, customer.devices("leaver").size(), "devices");
            phone.device.follow("season");
            phone.device.logout();
            phone.relaunch();
            phone.flush();
            Check.equal(0, customer.devices("leaver").size(), "devices");
            phone.login();
            phone.flush();
            Check.equal(1, customer.devices("leaver").size(), "devices");
            Check.equal("[season]", phone.device.followed().toString(), "what is followed");
        }
    }

    private void refusals() throws Exception {
        try (LivePhone phone = new LivePhone(customer.url, "ffs_no-such-key", "stranger", 9, null)) {
            phone.login();
            Check.eventually("401", () -> phone.device.status().pauseReason() == PauseReason.UNAUTHORIZED);
        }
        // The first signature has expired; the library asks for another one.
        int[] asked = {0};
        IdentitySigner signer = (user, udid) ->
            customer.sign(user, udid, System.currentTimeMillis() / 1_000 + (asked[0]++ == 0 ? -10 : 3_600));
        try (LivePhone phone = new LivePhone(customer.url, customer.sdkKey, "late", 10, signer)) {
            phone.login();
            phone.flush();
            Check.equal(2, asked[0], "signatures that were asked for");
            Check.equal(1, customer.devices("late").size(), "devices");
        }
        Customer limited = stack.tenant("limited", "--no-signatures");
        stack.run("tenant", "set-limits", "limited", "--device-sdk-requests-per-minute", "2");
        try (LivePhone phone = new LivePhone(limited.url, limited.sdkKey, "eager", 11, null)) {
            phone.login();
            Check.eventually("429", () -> phone.device.status().pauseReason() == PauseReason.RATE_LIMITED);
        }
        Customer off = stack.tenant("off", "--no-signatures");
        stack.run("tenant", "disable", "off");
        try (LivePhone phone = new LivePhone(off.url, off.sdkKey, "unseen", 12, null)) {
            phone.login();
            Check.eventually("202", () -> phone.device.status().pauseReason() == PauseReason.SWITCHED_OFF);
            Check.that(!phone.device.status().isTokenReported(), "a token that was dropped counts as reported");
        }
    }
}
