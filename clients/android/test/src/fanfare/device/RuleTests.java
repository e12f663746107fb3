package fanfare.device;

/** What answers do to uploads. */
final class RuleTests {
    private RuleTests() {
    }

    static void add(Suite suite) {
        suite.add("400 drops and tells; what comes behind goes on", RuleTests::refused);
        suite.add("429 and 503 are waited for, never shorter than Retry-After, also after a relaunch with a wrong clock",
            RuleTests::retryAfter);
        suite.add("without an answer it waits from 2 s to an hour, half by lot", RuleTests::backoff);
        suite.add("401 asks once for a fresh signature, then pauses; the app can have it tried", RuleTests::unauthorized);
        suite.add("403 pauses; for one wish too many it drops that one and tells", RuleTests::forbidden);
        suite.add("202 keeps what must be known, drops the rest, and all is told when it is over", RuleTests::switchedOff);
        suite.add("500 to one upload lets others pass, and is given up after eight", RuleTests::broken);
        suite.add("a full queue drops taps first and never a token or wish", RuleTests::full);
        suite.add("a tap that is older than a day is given up, a dismissal is not", RuleTests::late);
        suite.add("a page that is not the gateway's changes nothing", RuleTests::page);
        suite.add("a schedule without an answer is made once", RuleTests::schedule);
        suite.add("a schedule is repeated by its key until its answer comes", RuleTests::repeated);
        suite.add("a schedule that is made late is made anew, alone", RuleTests::madeLate);
        suite.add("a schedule whose key is forgotten or used is cancelled with all and made anew", RuleTests::forgotten);
        suite.add("one that gets no answer, or a page, each time holds up nothing else, also over relaunches",
            RuleTests::stuck);
        suite.add("what is scheduled makes way for nothing, however full the queue is", RuleTests::keepsSchedules);
        suite.add("a schedule that was taken back under way, and never got an answer, is let go", RuleTests::takenBack);
        suite.add("a schedule that never gets an answer is made anew ever more rarely", RuleTests::doubted);
        suite.add("202 to the last that waits is tried again all the same", RuleTests::probed);
        suite.add("a schedule of what was swiped away and opened again, unheard, is made behind it", RuleTests::reopened);
        suite.add("a success that lists no topics takes none away", RuleTests::noTopics);
    }

    private static void keepsSchedules() throws Exception {
        Rig rig = new Rig(
            new Settings.Builder("https://g", "key", "udid").queueCapacity(10).syncSpreadMillis(0).build());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.token("t", rig.now());
        rig.rest();
        ExternalName name = new ExternalName("Order", "o", Scope.USER);
        rig.calls.open(name, "t", null, "{}", null, rig.now());
        rig.rest();
        for (int number = 0; number < Plans.MOST_OF_ONE; number++) {
            Plan plan = new Plan("p" + number, name, rig.now().wall + 3_600_000, "update", "{}", null, null);
            Check.that(rig.calls.schedule(plan, rig.now()), "it is not taken");
        }
        for (int number = 0; number < 30; number++) rig.calls.tapped(name.key(), "tap-" + number, rig.now());
        rig.told.clear();
        rig.rest();
        long sent = rig.told.stream().filter(told -> told.startsWith("POST schedule ")).count();
        Check.equal((long) Plans.MOST_OF_ONE, sent, rig.told.toString());
    }

    /** What is taken back while it is under way is cancelled behind it; when its key is forgotten nothing is left of it. */
    private static void takenBack() throws Exception {
        for (boolean isLogout : new boolean[] {false, true}) {
            for (boolean isSetBack : new boolean[] {false, true}) {
                Rig rig = scheduled();
                Upload schedule = rig.machine.next(rig.now());
                Check.equal(Kind.SCHEDULE, schedule.kind, "what is sent");
                if (isLogout) rig.machine.logout(rig.now()); else rig.calls.cancel("p", rig.now());
                rig.answers.answered(schedule, null, rig.now(), 0.5);
                if (isSetBack) rig.wallOffset -= 3_600_000; else rig.elapsed += 3_400_000;
                for (int launch = 0; launch < 2; launch++) {
                    Upload next = rig.machine.next(rig.now());
                    Check.that(next == null || next.kind != Kind.SCHEDULE, "it is sent again");
                    rig.relaunch();
                }
            }
        }
    }

    private static Rig scheduled() {
        Rig rig = Rig.loggedIn();
        ExternalName name = new ExternalName("Order", "o", Scope.USER);
        rig.calls.open(name, "t", null, "{}", null, rig.now());
        rig.rest();
        rig.calls.schedule(new Plan("p", name, rig.now().wall + 3_600_000, "update", "{}", null, null), rig.now());
        return rig;
    }

    /** Sends for so long, and answers schedules so; what it sent. */
    private static int live(Rig rig, long millis, Reply toSchedules, boolean relaunches) throws Exception {
        int sent = 0;
        for (long end = rig.elapsed + millis; rig.elapsed < end;) {
            if (relaunches) rig.relaunch();
            Upload upload = rig.machine.next(rig.now());
            if (upload == null) {
                long waits = rig.waits();
                rig.elapsed += waits < 0 ? millis : Math.max(1, waits);
                continue;
            }
            sent++;
            Reply reply = upload.kind == Kind.SCHEDULE ? toSchedules : ModelGateway.success(",\"topics\":[]");
            rig.answers.answered(upload, reply, rig.now(), 0.5);
        }
        return sent;
    }

    private static void stuck() throws Exception {
        Reply[] replies = {null, new Reply(413, -1, "<html>"), new Reply(403, -1, "<html>"), new Reply(502, -1, "")};
        for (Reply reply : replies) {
            for (boolean relaunches : new boolean[] {false, true}) {
                Rig rig = scheduled();
                rig.machine.token("another", rig.now());
                rig.machine.follow("a", true, rig.now());
                live(rig, 3_600_000, reply, relaunches);
                String what = (reply == null ? "no answer" : "" + reply.status()) + (relaunches ? ", relaunches" : "");
                Check.equal("another", rig.machine.reportedToken, "token: " + what);
                Check.that(rig.machine.outbox.has(Kind.SCHEDULE, "ann", Lanes.of("user/5/Order/o")), "dropped: " + what);
            }
        }
    }

    private static void doubted() throws Exception {
        Rig rig = scheduled();
        int sent = live(rig, 86_400_000, null, false);
        Check.that(sent >= 20 && sent <= 100, sent + " requests in a day");
        rig.relaunch();
        sent = live(rig, 86_400_000, null, false);
        // A cancellation and a schedule each three quarters of an hour.
        Check.that(sent >= 20 && sent <= 66, sent + " requests in the next day");
    }

    /** What is sent next: its key and body. */
    private static String sent(Rig rig, Reply reply) {
        Upload upload = rig.machine.next(rig.now());
        if (upload == null) return "nothing";
        Request request = rig.machine.request(upload);
        rig.answers.answered(upload, reply, rig.now(), 0);
        return request.headers().get("Idempotency-Key") + " " + request.body();
    }

    private static void repeated() throws Exception {
        for (Reply lost : new Reply[] {null, new Reply(500, -1, ""), new Reply(504, -1, "")}) {
            Rig rig = scheduled();
            String first = sent(rig, lost);
            rig.elapsed += 20_000;
            // What has done nothing says nothing of the one before.
            Check.equal(first, sent(rig, ModelGateway.refusal(429, "RATE_LIMITED")), "the second request");
            rig.relaunch();
            rig.elapsed += 30_000;
            Check.equal(first, sent(rig, ModelGateway.success(",\"schedule_id\":\"s1\"")), "the third request");
            Check.equal("nothing", sent(rig, null), "behind it");
        }
        Rig rig = scheduled();
        String first = sent(rig, ModelGateway.refusal(429, "RATE_LIMITED"));
        rig.elapsed += 600_000;
        String second = sent(rig, null);
        Check.that(first.contains("\"offset\":3600") && second.contains("\"offset\":3000"), first + second);
        Check.that(!first.split(" ")[0].equals(second.split(" ")[0]), "the key of another body: " + second);
    }

    private static void madeLate() throws Exception {
        Rig rig = scheduled();
        sent(rig, null);
        rig.elapsed += 600_000;
        sent(rig, ModelGateway.success(",\"schedule_id\":\"s1\""));
        Check.that(sent(rig, ModelGateway.success("")).contains("\"schedule_id\":\"s1\""), "it is not cancelled");
        String anew = sent(rig, ModelGateway.success(",\"schedule_id\":\"s2\""));
        Check.that(anew.contains("\"offset\":3000"), anew);
        Check.equal("s2", rig.machine.plans.find("p").scheduleId, "the schedule");
    }

    private static void forgotten() throws Exception {
        for (boolean isUsed : new boolean[] {false, true}) {
            Rig rig = scheduled();
            rig.answer(ModelGateway.success(",\"schedule_id\":\"s1\""));
            ExternalName name = new ExternalName("Order", "o", Scope.USER);
            rig.calls.schedule(new Plan("q", name, rig.now().wall + 9_000_000, "update", "{}", null, null), rig.now());
            rig.answer((Reply) null);
            rig.elapsed += isUsed ? 20_000 : 3_400_000;
            if (isUsed) rig.answer(422, "IDEMPOTENCY_KEY_REUSED");
            rig.told.clear();
            rig.rest();
            Check.equal(3, rig.told.size(), rig.told.toString());
            Check.that(rig.told.get(0).startsWith("POST schedule/cancel"), rig.told.toString());
            Check.that(rig.told.get(1).contains("\"offset\":" + (isUsed ? 8980 : 5600)), rig.told.toString());
        }
    }

    private static void probed() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        Check.that(rig.answer(202, "").startsWith("POST sync"), "what is sent");
        Check.equal(PauseReason.SWITCHED_OFF, rig.machine.gate.reason, "why it is paused");
        rig.relaunch();
        for (int probe = 0; probe < 3; probe++) {
            Check.that(rig.waits() > 0 && rig.waits() <= Backoff.PAUSED_LONGEST, "it waits for " + rig.waits());
            rig.elapsed += rig.waits();
            String sent = probe < 2 ? rig.answer(202, "") : rig.answer(200, "");
            Check.that(sent.startsWith("PUT device"), sent);
        }
        Check.that(rig.answer(200, "").startsWith("POST sync"), "what is shown is not told again");
        Check.equal(PauseReason.NONE, rig.machine.gate.reason, "why it is paused");
    }

    private static void reopened() {
        Rig rig = Rig.loggedIn();
        ExternalName name = new ExternalName("Order", "o", Scope.USER);
        rig.calls.open(name, "t", null, "{}", null, rig.now());
        rig.calls.schedule(new Plan("p", name, rig.now().wall + 3_600_000, "update", "{}", null, null), rig.now());
        rig.calls.dismissed(name.key(), false, rig.now());
        rig.calls.open(name, "t", null, "{}", null, rig.now());
        rig.told.clear();
        rig.rest();
        Check.that(rig.told.get(0).startsWith("POST sync"), rig.told.toString());
        Check.that(rig.told.get(1).startsWith("POST schedule"), rig.told.toString());
    }

    private static void noTopics() {
        Rig rig = Rig.loggedIn();
        rig.machine.follow("a", true, rig.now());
        rig.answer(ModelGateway.success(""));
        rig.machine.refreshFollows(rig.now());
        rig.answer(ModelGateway.success(""));
        Check.equal(Bell.LIVE, rig.machine.bell("a"), "the bell");
    }

    private static void refused() {
        Rig rig = Rig.loggedIn();
        rig.machine.follow("a", true, rig.now());
        rig.machine.follow("b", true, rig.now());
        rig.answer(400, "VALIDATION_FAILED");
        Check.equal("[FOLLOW a: 400 VALIDATION_FAILED no]", rig.refusals.toString(), "what is told");
        Check.equal(Bell.OFF, rig.machine.bell("a"), "the bell");
        rig.rest();
        Check.equal(Bell.LIVE, rig.machine.bell("b"), "the other bell");
        rig.machine.follow("c", true, rig.now());
        rig.answer(404, "NOT_FOUND");
        Check.equal(Bell.OFF, rig.machine.bell("c"), "the bell of no topic");
    }

    private static void retryAfter() throws Exception {
        for (int status : new int[] {429, 503}) {
            Rig rig = Rig.loggedIn();
            rig.machine.token("new", rig.now());
            rig.answer(new Reply(status, 600, "{\"error\":\"no\",\"code\":\"X\"}"));
            Check.that(rig.waits() >= 600_000 && rig.waits() <= 750_000, "it waits " + rig.waits());
            Check.equal(status == 429 ? PauseReason.RATE_LIMITED : PauseReason.UNAVAILABLE, rig.machine.status().pauseReason(),
                "reason");
            rig.machine.networkAvailable();
            rig.machine.foreground(rig.now());
            rig.elapsed += 100_000;
            rig.relaunch();
            Check.that(rig.waits() >= 500_000, "after a relaunch it waits " + rig.waits());
            rig.wallOffset -= 86_400_000;
            rig.relaunch();
            Check.that(rig.waits() >= 500_000 && rig.waits() <= 750_000, "with a clock set back it waits " + rig.waits());
            rig.elapsed += rig.waits();
            rig.rest();
            Check.equal("new", rig.machine.reportedToken, "the token that the gateway has");
            Check.equal(PauseReason.NONE, rig.machine.status().pauseReason(), "reason");
        }
    }

    private static void backoff() {
        for (int failures = 1; failures < 40; failures++) {
            long longest = Math.min(3_600_000, 2_000L << Math.min(failures - 1, 20));
            Check.equal(longest / 2, Backoff.after(failures, 0), "the shortest wait");
            Check.that(Backoff.after(failures, 0.999) < longest + 1, "the longest wait");
            Check.that(Backoff.after(failures, 0.999) > longest * 0.99, "the longest wait");
        }
        Rig rig = Rig.loggedIn();
        rig.machine.token("new", rig.now());
        int tries = 0;
        long end = rig.elapsed + 86_400_000;
        while (rig.elapsed < end) {
            rig.elapsed += rig.waits();
            rig.answer((Reply) null);
            tries++;
        }
        Check.that(tries > 24 && tries < 60, "tries in a day without a network: " + tries);
        Check.equal(PauseReason.NO_NETWORK, rig.machine.status().pauseReason(), "reason");
        rig.machine.networkAvailable();
        Check.equal(0L, rig.waits(), "wait once there is a network");
    }

    private static void unauthorized() {
        Rig rig = new Rig(new Settings.Builder("https://g", "key", "udid").signer((user, udid) -> "s").build());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.signatures.put("ann", "old");
        rig.answer(401, "UNAUTHORIZED");
        Check.that(rig.machine.signatures.isEmpty(), "the old signature is kept");
        Check.equal(0L, rig.waits(), "wait for the try with a fresh one");
        rig.answer(401, "UNAUTHORIZED");
        Check.equal(PauseReason.UNAUTHORIZED, rig.machine.status().pauseReason(), "reason");
        Check.that(rig.machine.status().pauseReason().needsAttention(), "needs attention");
        Check.that(rig.waits() >= 450_000, "it waits " + rig.waits());
        Check.that(rig.machine.status().lastProblem().startsWith("401 UNAUTHORIZED"), rig.machine.status().lastProblem());
        rig.machine.foreground(rig.now());
        rig.rest();
        Check.equal(PauseReason.NONE, rig.machine.status().pauseReason(), "reason");
        Check.that(rig.machine.reportedDevice != null, "nothing was lost");
    }

    private static void forbidden() {
        Rig rig = Rig.loggedIn();
        rig.machine.follow("a", true, rig.now());
        rig.machine.token("new", rig.now());
        rig.answer(403, "QUOTA_EXCEEDED");
        Check.equal("[FOLLOW a: 403 QUOTA_EXCEEDED no]", rig.refusals.toString(), "what is told");
        rig.answer(403, "QUOTA_EXCEEDED");
        Check.equal(PauseReason.FORBIDDEN, rig.machine.status().pauseReason(), "reason");
        Check.that(rig.waits() >= 450_000, "it waits " + rig.waits());
        rig.elapsed += rig.waits();
        rig.rest();
        Check.equal("new", rig.machine.reportedToken, "the token that the gateway has");
    }

    private static void switchedOff() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.machine.follow("a", true, rig.now());
        rig.answer(new Reply(202, -1, "{\"status\":\"success\"}"));
        Check.equal(PauseReason.SWITCHED_OFF, rig.machine.status().pauseReason(), "reason");
        rig.elapsed += rig.waits();
        rig.answer(new Reply(202, -1, "{\"status\":\"success\"}"));
        Check.equal(Bell.PENDING, rig.machine.bell("a"), "the bell of a wish that was dropped");
        rig.told.clear();
        rig.elapsed += rig.waits();
        // Another trouble in between is no reason to forget what was dropped.
        rig.answer((Reply) null);
        rig.relaunch();
        rig.elapsed += rig.waits();
        rig.rest();
        Check.that(rig.told.toString().contains("PUT topics/a/follow"), "the wish is not told of: " + rig.told);
        Check.that(rig.told.toString().contains("POST sync"), "the Live Activity is not told of: " + rig.told);
    }

    private static void broken() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        rig.calls.tapped("m", "tap", rig.now());
        rig.machine.token("new", rig.now());
        Check.that(rig.answer(500, "INTERNAL").startsWith("POST tap"), "the first");
        Check.that(rig.answer(200, "").startsWith("PUT registration-token"), "the second passes");
        int tries = 1;
        while (rig.refusals.isEmpty() && tries < 100) {
            rig.elapsed += rig.waits();
            rig.answer(500, "INTERNAL");
            tries++;
        }
        Check.equal(8, tries, "tries");
        // What must be known in the end is never given up.
        rig.machine.token("newer", rig.now());
        for (tries = 0; tries < 50; tries++) {
            rig.elapsed += rig.waits();
            rig.answer(500, "INTERNAL");
        }
        Check.that(rig.waits() >= 1_800_000, "it waits " + rig.waits());
        rig.elapsed += rig.waits();
        rig.rest();
        Check.equal("newer", rig.machine.reportedToken, "the token that the gateway has");
    }

    private static void full() {
        Rig rig = new Rig(new Settings.Builder("https://g", "key", "udid").queueCapacity(10).build());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.rest();
        for (int id = 0; id < 5; id++) rig.message("m" + id, "start", 100);
        rig.machine.token("t", rig.now());
        for (int topic = 0; topic < 30; topic++) rig.machine.follow("t" + topic, true, rig.now());
        for (int tap = 0; tap < 20; tap++) rig.calls.tapped("m0", "tap" + tap, rig.now());
        int[] counts = new int[Kind.values().length];
        for (Upload upload : rig.machine.outbox.all()) counts[upload.kind.ordinal()]++;
        Check.equal(1, counts[Kind.TOKEN.ordinal()], "tokens");
        Check.equal(30, counts[Kind.FOLLOW.ordinal()], "wishes");
        Check.equal(5, counts[Kind.SYNC.ordinal()], "syncs");
        Check.equal(5, counts[Kind.TAP.ordinal()], "taps");
        Check.equal(15L, rig.machine.status().dropped(), "dropped");
        for (int topic = 0; topic < 2_000; topic++) rig.machine.follow("u" + topic, true, rig.now());
        Check.equal(Follows.MOST, rig.machine.follows.wanted().size(), "topics");
        Check.that(!rig.machine.follow("one-more", true, rig.now()), "one more");
    }

    private static void late() {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.rest();
        rig.calls.tapped("m", "t1", rig.now());
        rig.calls.dismissed("m", false, rig.now());
        rig.answer((Reply) null);
        rig.elapsed += 86_401_000;
        rig.told.clear();
        rig.rest();
        rig.paint();
        Check.equal(1, rig.told.size(), rig.told.toString());
        Check.that(rig.told.get(0).startsWith("POST dismissed"), rig.told.toString());
        Check.equal("[TAP m: 0  it is older than a day]", rig.refusals.toString(), "what is told");
    }

    private static void page() {
        Reply[] pages = {
            new Reply(200, -1, "<html>log in</html>"), new Reply(302, -1, ""), new Reply(404, -1, "<html>"),
            new Reply(413, -1, ""), new Reply(200, -1, "{}"),
        };
        for (Reply page : pages) {
            Rig rig = Rig.loggedIn();
            rig.machine.follow("a", true, rig.now());
            rig.answer(page);
            Check.equal(Bell.PENDING, rig.machine.bell("a"), "the bell after " + page.status());
            Check.that(rig.waits() > 0, "it waits " + rig.waits());
        }
    }

    private static void schedule() throws Exception {
        Rig rig = Rig.loggedIn();
        ExternalName name = new ExternalName("T", "chest", Scope.USER);
        Check.that(!rig.calls.schedule(plan("0", name, rig), rig.now()), "a schedule of what is not there");
        rig.calls.open(name, "Chest", null, null, null, rig.now());
        rig.calls.schedule(plan("1", name, rig), rig.now());
        rig.answer(ModelGateway.success(",\"activity_id\":\"x\""));
        rig.answer(ModelGateway.success(",\"schedule_id\":\"s1\""));
        rig.elapsed += 60_000;
        rig.calls.schedule(plan("2", name, rig), rig.now());
        rig.told.clear();
        rig.machine.next(rig.now());
        rig.relaunch();
        rig.elapsed += 30_000;
        rig.answer(ModelGateway.success(",\"schedule_id\":\"s2\""));
        rig.rest();
        Check.equal(1, rig.told.size(), rig.told.toString());
        String due = "\"offset\":3600,\"event\":\"update\",\"content_state\":{\"n\": 1.0}";
        Check.that(rig.told.get(0).startsWith("POST schedule ") && rig.told.get(0).contains(due), rig.told.toString());
        rig.told.clear();
        rig.calls.cancel("1", rig.now());
        rig.rest();
        Check.that(rig.told.toString().contains("\"schedule_id\":\"s1\""), rig.told.toString());
        for (int count = 0; count < 30; count++) rig.calls.schedule(plan("p" + count, name, rig), rig.now());
        Check.that(!rig.machine.plans.hasRoomFor(name), "there is room for a 21st");
        Check.equal(19, rig.machine.outbox.all().size(), "uploads");
    }

    private static Plan plan(String id, ExternalName name, Rig rig) {
        return new Plan(id, name, rig.now().wall + 3_600_000, "update", "{\"n\": 1.0}", null, null);
    }
}
