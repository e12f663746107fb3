package fanfare.device;

/** What messages do to Live Activities. */
final class LiveActivityTests {
    private LiveActivityTests() {
    }

    static void add(Suite suite) {
        suite.add("messages: shown, updated, ended; content byte for byte; what is not ours is left alone",
            LiveActivityTests::life);
        suite.add("what is older than what is known is dropped, also after the end and after a relaunch",
            LiveActivityTests::order);
        suite.add("an update that overtakes its start waits for it", LiveActivityTests::overtaken);
        suite.add("a dismissed one stays dismissed, is told once, and a newer start shows it again unless the app says no",
            LiveActivityTests::dismissed);
        suite.add("who unfollows and follows within a second is shown it, by a start with an earlier second than the end",
            LiveActivityTests::followed);
        suite.add("one whose end was lost leaves after its longest life", LiveActivityTests::forgotten);
        suite.add("a clock that is set back keeps nothing on the screen", LiveActivityTests::setBack);
        suite.add("two names of one activity leave one Live Activity, and one on the screen", LiveActivityTests::joined);
        suite.add("a dismissal can be taken back until it was sent", LiveActivityTests::takenBack);
        suite.add("a second start of one that is there is told again; a new token too", LiveActivityTests::told);
        suite.add("a phone that takes pushes again reports its Live Activities again", LiveActivityTests::pushesAllowedAgain);
        suite.add("one that the gateway does not know leaves the screen", LiveActivityTests::unknown);
        suite.add("one that the app opens takes over what came for it before its answer", LiveActivityTests::opened);
        suite.add("final contents leave at their time, stale ones are marked at theirs", LiveActivityTests::ticks);
        suite.add("no more are known than may be, and what is shown makes way last", LiveActivityTests::bounded);
    }

    private static void life() {
        Rig rig = Rig.loggedIn();
        String state = "{\"n\": 1.0, \"b\":12345678901234567890 ,\"x\":\"\\u00e9\\n\"}";
        Handled others = rig.calls.message(java.util.Collections.singletonMap("a", "b"), rig.now(), 0);
        Check.equal(Handled.NOT_OURS, others, "another's");
        Check.equal(Handled.MALFORMED, rig.message("m", "stop", 100), "an unknown event");
        Check.equal(Handled.MALFORMED, rig.message("m", "start", 0), "no time");
        Check.equal(Handled.MALFORMED, rig.message("", "start", 1), "no id");
        Handled start = rig.message("m", "start", 100, "content_state", state, "attributes", "{\"a\" :[1e3]}", "title", "T",
            "message", "M", "live_activity_type", "Match");
        Check.equal(Handled.SHOWN, start, "start");
        LiveActivity shown = rig.screen.get("m");
        Check.equal(state, shown.contentState(), "content");
        Check.equal("{\"a\" :[1e3]}", shown.attributes(), "attributes");
        Check.equal("Match", shown.activityType(), "type");
        Check.equal(1, rig.alerts, "alerts");
        Check.equal(Handled.UPDATED, rig.message("m", "update", 101, "content_state", "{}"), "update");
        Check.equal(1, rig.alerts, "a silent update alerts");
        Check.equal("T", rig.screen.get("m").title(), "title");
        rig.message("m", "update", 102, "message", "Goal");
        Check.equal(2, rig.alerts, "an update with a text alerts");
        Check.equal(Handled.ENDED, rig.message("m", "end", 103, "content_state", "{\"f\":1}"), "end");
        Check.that(!rig.screen.get("m").isOngoing(), "it goes on");
        Check.equal("{\"f\":1}", rig.screen.get("m").contentState(), "the final content");
        Check.that(rig.machine.outbox.waiting(Kind.SYNC, "ann", Lanes.of("m")) == null, "what is over is told to be there");
        rig.message("n", "start", 100);
        rig.message("n", "end", 101, "content_state", "{}", "dismissal_date", "1");
        Check.that(!rig.screen.containsKey("n"), "an end with a date that has passed leaves it");
    }

    private static void pushesAllowedAgain() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        for (boolean allows : new boolean[] {false, true, true}) {
            rig.told.clear();
            rig.machine.describe(Walk.facts(allows, 0), rig.now());
            boolean isNews = allows && rig.machine.outbox.waiting(Kind.SYNC, "ann", Lanes.of("m")) != null;
            rig.rest();
            boolean isTold = rig.told.toString().contains("POST sync");
            Check.equal(isNews, isTold, "what is told");
            if (!allows) Check.that(!isTold, "a sync without consent");
        }
        Check.equal("[]", rig.told.toString(), "what is told twice");
    }

    private static void order() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100, "content_state", "{\"n\":0}");
        rig.message("m", "update", 105, "content_state", "{\"n\":5}");
        Check.equal(Handled.STALE, rig.message("m", "update", 104, "content_state", "{\"n\":4}"), "an older update");
        Check.equal(Handled.STALE, rig.message("m", "update", 105, "content_state", "{\"n\":4}"), "the same again");
        rig.relaunch();
        Check.equal(Handled.STALE, rig.message("m", "start", 100), "the start again");
        Check.equal("{\"n\":5}", rig.screen.get("m").contentState(), "content");
        rig.message("m", "end", 106);
        rig.relaunch();
        Check.equal(Handled.STALE, rig.message("m", "update", 105), "an update after the end");
        Check.equal(Handled.STALE, rig.message("m", "update", 107), "a newer update after the end");
        Check.equal(Handled.STALE, rig.message("m", "start", 100), "an older start after the end");
        Check.that(rig.screen.isEmpty(), "it is back");
        Check.equal(Handled.ENDED, rig.message("k", "end", 50), "an end that overtakes its start");
        Check.equal(Handled.STALE, rig.message("k", "start", 49), "the start behind its end");
        Check.equal(Handled.SHOWN, rig.message("m", "start", 108), "a newer start");
    }

    private static void overtaken() throws Exception {
        Rig rig = Rig.loggedIn();
        Check.equal(Handled.NOT_STARTED, rig.message("m", "update", 105, "content_state", "{\"n\":5}"), "update");
        Check.that(rig.screen.isEmpty(), "it is shown without a start");
        rig.relaunch();
        Check.equal(Handled.SHOWN, rig.message("m", "start", 100, "content_state", "{\"n\":0}", "attributes", "{}"), "start");
        Check.equal("{\"n\":5}", rig.screen.get("m").contentState(), "content");
        Check.equal("{}", rig.screen.get("m").attributes(), "attributes");
        Check.equal(Handled.STALE, rig.message("m", "update", 104), "an update in between");
    }

    private static void dismissed() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        rig.screen.clear();
        Check.that(rig.calls.dismissed("m", false, rig.now()), "it was not going on");
        Check.that(!rig.calls.dismissed("m", false, rig.now()), "a second time");
        rig.relaunch();
        Check.equal(Handled.DISMISSED, rig.message("m", "update", 101, "title", "Goal"), "update");
        Check.equal(Handled.STALE, rig.message("m", "start", 100), "the start again");
        rig.told.clear();
        rig.rest();
        Check.equal("[POST dismissed {\"insider_id\":\"ann\",\"udid\":\"udid\",\"activity_id\":\"m\"}]", rig.told.toString(),
            "what is told");
        Check.that(rig.screen.isEmpty(), "it is back");
        // The gateway has not heard: it is told once more.
        rig.message("m", "update", 102);
        rig.rest();
        Check.equal(2, rig.told.size(), "requests");
        Check.equal(Handled.SHOWN, rig.message("m", "start", 103), "a newer start");
        Check.that(rig.screen.containsKey("m"), "it is not back");
        rig.rest();
        Check.that(rig.told.get(2).startsWith("POST sync"), "it is told that it is there");

        rig.calls.dismissed("m", false, rig.now());
        rig.message("m", "start", 104);
        rig.told.clear();
        rig.rest();
        Check.equal(1, rig.told.size(), "a dismissal that was not sent before the next start: " + rig.told);

        Rig stays = new Rig(new Settings.Builder("https://g", "key", "udid").shownAgainByStart(false).build());
        stays.machine.login("ann", Walk.facts(true, 0), stays.now());
        stays.message("m", "start", 100);
        stays.calls.dismissed("m", true, stays.now());
        stays.paint();
        Check.equal(Handled.DISMISSED, stays.message("m", "start", 101), "a newer start");
        Check.that(stays.screen.isEmpty(), "it is back");
    }

    private static void followed() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.message("m", "end", 111);
        Check.equal(Handled.STALE, rig.message("m", "start", 110), "a start that nobody has asked for");
        rig.machine.follow("a", true, rig.now());
        rig.relaunch();
        Check.equal(Handled.STALE, rig.message("m", "start", 108), "a start long before the end");
        Check.equal(Handled.SHOWN, rig.message("m", "start", 110), "the start that was asked for");
        Check.equal(Handled.STALE, rig.message("m", "start", 110), "the same again");
        rig.message("m", "end", 111);
        Check.equal(Handled.SHOWN, rig.message("m", "start", 110), "one with the second of the start before");
        rig.calls.dismissed("m", true, rig.now());
        Check.equal(Handled.STALE, rig.message("m", "start", 110), "the same start after a dismissal");
        rig.message("m", "end", 121);
        rig.machine.follow("a", false, rig.now());
        Check.equal(Handled.STALE, rig.message("m", "start", 120), "a start for who follows no more");
        rig.machine.follow("a", true, rig.now());
        rig.elapsed += 61_000;
        Check.equal(Handled.STALE, rig.message("m", "start", 120), "a start a minute later");
    }

    private static void forgotten() {
        Rig rig = Rig.loggedIn();
        ExternalName name = new ExternalName("T", "x", Scope.USER);
        rig.calls.open(name, "t", null, null, null, rig.now());
        rig.message("m", "start", 100);
        rig.elapsed += 12 * 3_600_000;
        rig.message("m", "update", 101);
        Check.that(!rig.machine.activities.tick(rig.now()), "something is due");
        rig.elapsed += 1_000;
        Check.that(rig.machine.activities.tick(rig.now()), "nothing is due");
        rig.paint();
        Check.equal("[" + name.key() + "]", rig.screen.keySet().toString(), "shown");
        rig.elapsed += 7L * 86_400_000;
        rig.machine.activities.tick(rig.now());
        rig.paint();
        Check.that(rig.screen.isEmpty(), "it is shown after a week");
    }

    private static void setBack() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.message("n", "start", 100);
        rig.message("n", "end", 101, "content_state", "{}");
        Check.equal(2, rig.screen.size(), "shown");
        rig.wallOffset -= 365L * 86_400_000;
        Check.that(rig.machine.activities.tick(rig.now()), "what has changed is not kept");
        rig.elapsed += 12L * 3_600_000 - 1_000;
        rig.machine.activities.tick(rig.now());
        rig.paint();
        Check.equal(2, rig.screen.size(), "shown before their time");
        rig.elapsed += 2_000;
        rig.machine.activities.tick(rig.now());
        rig.paint();
        Check.equal("[]", rig.screen.keySet().toString(), "shown after it");
    }

    private static void joined() {
        Rig rig = Rig.loggedIn();
        for (String name : new String[] {"a", "b"}) {
            rig.calls.open(new ExternalName("Order", name, Scope.USER), "Order", null, null, null, rig.now());
        }
        rig.paint();
        Check.equal(2, rig.screen.size(), "shown");
        while (rig.answer(ModelGateway.success(",\"activity_id\":\"m\",\"topics\":[]")) != null) continue;
        Check.equal("[user/5/Order/b]", rig.screen.keySet().toString(), "shown");
        rig.message("m", "end", 100);
        Check.equal("[]", rig.screen.keySet().toString(), "shown after the end");
    }

    private static void takenBack() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        rig.calls.dismissed("m", true, rig.now());
        Check.that(rig.calls.showAgain("m", rig.now()), "it is not taken back");
        rig.paint();
        Check.that(rig.screen.containsKey("m"), "it is not back");
        rig.told.clear();
        rig.rest();
        Check.that(!rig.told.toString().contains("dismissed"), rig.told.toString());
        rig.calls.dismissed("m", true, rig.now());
        rig.answer((Reply) null);
        Check.that(!rig.calls.showAgain("m", rig.now()), "it is taken back although the gateway may know");
    }

    private static void told() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        String told = "POST sync {\"insider_id\":\"ann\",\"udid\":\"udid\",\"activity_id\":\"m\",\"system_activity_id\":";
        Check.that(rig.told.get(0).startsWith(told),
            rig.told.get(0));
        rig.told.clear();
        Check.equal(Handled.UPDATED, rig.message("m", "start", 101), "a second start");
        rig.rest();
        Check.equal(1, rig.told.size(), "requests");
        rig.machine.token("new", rig.now());
        rig.rest();
        Check.that(rig.told.get(2).startsWith("POST sync"), rig.told.toString());
        rig.told.clear();
        rig.calls.tapped("m", "t1", rig.now());
        rig.rest();
        Check.that(rig.told.get(0).startsWith("POST tap"), rig.told.toString());
        Check.that(rig.told.get(0).contains("\"tap_id\":\"t1\""), rig.told.toString());
    }

    private static void unknown() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.answer(404, "NOT_FOUND");
        Check.that(rig.screen.isEmpty(), "it is shown");
        Check.equal(Handled.STALE, rig.message("m", "update", 101), "an update");
        // A 404 for one that the app opens means that the gateway does not know the device.
        rig.calls.open(new ExternalName("T", "x", Scope.SHARED), "Title", null, null, null, rig.now());
        rig.told.clear();
        rig.answer(404, "NOT_FOUND");
        rig.elapsed += rig.waits();
        rig.answer(200, "");
        rig.elapsed += rig.waits();
        rig.answer(200, "");
        Check.that(rig.told.get(1).startsWith("PUT device"), rig.told.toString());
        Check.that(rig.told.get(2).startsWith("POST sync"), rig.told.toString());
    }

    private static void opened() throws Exception {
        ExternalName name = new ExternalName("Order", "4711", Scope.USER);
        Rig rig = Rig.loggedIn();
        rig.calls.open(name, "Your order", "is on its way", "{\"n\":1}", null, rig.now());
        rig.message("a1", "update", 100, "content_state", "{\"n\":2}");
        Check.equal(0, rig.screen.containsKey("a1") ? 1 : 0, "an update of nobody knows what is shown");
        rig.relaunch();
        rig.answer(ModelGateway.success(",\"activity_id\":\"a1\""));
        Check.equal("{\"n\":2}", rig.screen.get(name.key()).contentState(), "content");
        Check.equal(Handled.UPDATED, rig.message("a1", "update", 101, "content_state", "{\"n\":3}"), "update");
        Check.equal("{\"n\":3}", rig.screen.get(name.key()).contentState(), "content");
        rig.calls.open(name, "Your order", "is here", "{\"n\":4}", null, rig.now());
        rig.paint();
        Check.equal("{\"n\":4}", rig.screen.get(name.key()).contentState(), "the app's content");
        Check.that(rig.machine.outbox.all().isEmpty(), "a change on this phone is told");
        Check.equal(Handled.ENDED, rig.message("a1", "end", 102), "end");
        Check.that(rig.screen.isEmpty(), "it is shown");
        // Opened, never told of, and swiped away: nothing to tell.
        rig.calls.open(new ExternalName("Order", "1", Scope.USER), "t", null, null, null, rig.now());
        rig.calls.dismissed(new ExternalName("Order", "1", Scope.USER).key(), true, rig.now());
        Check.that(rig.machine.outbox.all().isEmpty(), "it is told");
    }

    private static void ticks() throws Exception {
        Rig rig = Rig.loggedIn();
        long second = rig.now().wall / 1_000;
        rig.message("m", "start", 100, "stale_date", String.valueOf(second + 60));
        rig.message("n", "start", 100);
        rig.message("n", "end", 101, "content_state", "{}", "dismissal_date", String.valueOf(second + 30) + ".5");
        Check.that(!rig.machine.activities.tick(rig.now()), "something is due");
        rig.elapsed += 31_000;
        rig.relaunch();
        Check.that(rig.machine.activities.tick(rig.now()), "nothing is due");
        rig.paint();
        Check.that(!rig.screen.containsKey("n"), "the final content stays");
        rig.elapsed += 30_000;
        Check.that(rig.machine.activities.tick(rig.now()), "nothing is due");
        rig.paint();
        Check.that(rig.screen.get("m").isStale(), "it is not stale");
        Check.that(!rig.machine.activities.tick(rig.now()), "something is due again");
        rig.message("m", "update", 102);
        Check.that(!rig.screen.get("m").isStale(), "it is stale");
    }

    private static void bounded() {
        Rig rig = new Rig(new Settings.Builder("https://g", "key", "udid").rememberedLiveActivities(10).build());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        for (int id = 0; id < 5; id++) rig.message("s" + id, "start", 100);
        for (int id = 0; id < 100; id++) {
            rig.message("e" + id, "start", 100);
            rig.message("e" + id, "end", 101);
        }
        for (int id = 0; id < 5; id++) Check.that(rig.machine.activities.find("s" + id) != null, "s" + id + " is forgotten");
        for (int id = 0; id < 30; id++) rig.message("t" + id, "start", 100);
        Check.equal(10, rig.screen.size(), "shown");
        Check.that(rig.screen.containsKey("t29"), "the newest");
    }
}
