package fanfare.device;

import java.util.Collections;

/** What is told of user, phone, token and wishes. */
final class WishTests {
    private WishTests() {
    }

    static void add(Suite suite) {
        suite.add("a login reports device, token and asks what is followed; the same again costs nothing", WishTests::login);
        suite.add("of a storm of tokens the newest is reported; a rotation during an upload is reported behind it",
            WishTests::storm);
        suite.add("a wish that changes after a death during its upload is the one that is told", WishTests::died);
        suite.add("once a day, in the foreground, device and token are reported again", WishTests::again);
        suite.add("bells: off, pending, live, no permission; offline wishes and other phones' ones", WishTests::bells);
        suite.add("a logout forgets the phone at the gateway behind the wishes, and takes all off the screen",
            WishTests::logout);
        suite.add("who leaves without a network and comes back has all wishes, and is not forgotten", WishTests::back);
        suite.add("nothing of a user overtakes the erasure that is under way", WishTests::barrier);
        suite.add("an answer to the user before says nothing of the next one", WishTests::between);
        suite.add("names that the gateway would refuse are refused at once", WishTests::names);
        suite.add("secrets stand in no text of status, refusals or requests", WishTests::secrets);
    }

    private static void login() throws Exception {
        Rig rig = new Rig();
        rig.machine.token("early", rig.now());
        Check.equal(null, rig.answer(200, ""), "nothing is sent before a login");
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.rest();
        Check.equal("[PUT device {\"insider_id\":\"ann\",\"udid\":\"udid\",\"platform\":\"android\",\"os_version\":\"16\","
            + "\"app_version\":\"1.0\",\"push_opt_in\":true,\"gdpr_consent\":true,\"environment\":\"production\"}, "
            + "PUT registration-token {\"insider_id\":\"ann\",\"udid\":\"udid\",\"token\":\"early\"}, "
            + "GET topics?insider_id=ann&udid=udid null]", rig.told.toString(), "what is told");
        rig.relaunch();
        rig.told.clear();
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.token("early", rig.now());
        rig.machine.foreground(rig.now());
        rig.rest();
        Check.equal("[]", rig.told.toString(), "what is told again");
    }

    private static void storm() {
        Rig rig = Rig.loggedIn();
        for (int count = 0; count < 1_000; count++) rig.machine.token("t" + count, rig.now());
        Check.equal(1, rig.machine.outbox.all().size(), "uploads");
        Upload under = rig.machine.next(rig.now());
        rig.machine.token("t1000", rig.now());
        rig.machine.token("t1001", rig.now());
        rig.answers.answered(under, ModelGateway.success(""), rig.now(), 0);
        Check.equal("t999", rig.machine.reportedToken, "the token that the gateway has");
        rig.rest();
        Check.equal("t1001", rig.machine.reportedToken, "the token that the gateway has");
        Check.equal(1, rig.told.size(), "requests");
        // Back to what was reported, while another one waits.
        rig.machine.token("x", rig.now());
        rig.machine.token("t1001", rig.now());
        rig.rest();
        Check.equal("t1001", rig.machine.reportedToken, "the token that the gateway has");
    }

    private static void died() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.machine.follow("a", false, rig.now());
        rig.machine.next(rig.now());
        rig.machine.follow("a", true, rig.now());
        rig.relaunch();
        rig.machine.follow("a", false, rig.now());
        rig.rest();
        Check.that(rig.told.get(rig.told.size() - 1).startsWith("DELETE topics/a/follow"), rig.told.toString());
        Check.equal(Bell.OFF, rig.machine.bell("a"), "bell");
        // One that fails while a newer one waits is not sent again.
        rig.machine.token("t1", rig.now());
        Upload under = rig.machine.next(rig.now());
        rig.machine.token("t2", rig.now());
        rig.answers.answered(under, null, rig.now(), 0);
        rig.elapsed += 10_000;
        rig.told.clear();
        rig.rest();
        Check.equal("[PUT registration-token {\"insider_id\":\"ann\",\"udid\":\"udid\",\"token\":\"t2\"}]",
            rig.told.toString(), "what is told");
    }

    private static void again() {
        Rig rig = Rig.loggedIn();
        rig.elapsed += 86_399_000;
        rig.machine.foreground(rig.now());
        rig.rest();
        Check.equal(0, rig.told.size(), "requests within the day");
        rig.elapsed += 2_000;
        rig.machine.foreground(rig.now());
        rig.machine.foreground(rig.now());
        rig.rest();
        Check.equal(3, rig.told.size(), "requests after the day: " + rig.told);
        rig.wallOffset -= 40L * 86_400_000;
        rig.machine.foreground(rig.now());
        rig.rest();
        Check.equal(6, rig.told.size(), "requests when the clock was set back");
    }

    private static void bells() {
        Rig rig = Rig.loggedIn();
        Check.equal(Bell.OFF, rig.machine.bell("a"), "bell");
        rig.machine.follow("a", true, rig.now());
        Check.equal(Bell.PENDING, rig.machine.bell("a"), "bell");
        rig.answer((Reply) null);
        Check.equal(Bell.PENDING, rig.machine.bell("a"), "bell");
        rig.elapsed += rig.waits();
        rig.rest();
        Check.equal(Bell.LIVE, rig.machine.bell("a"), "bell");
        rig.machine.describe(Walk.facts(false, 0), rig.now());
        Check.equal(Bell.NO_PERMISSION, rig.machine.bell("a"), "bell");
        rig.machine.describe(Walk.facts(true, 0), rig.now());
        rig.rest();
        rig.machine.follow("a", false, rig.now());
        Check.equal(Bell.OFF, rig.machine.bell("a"), "bell");
        // The list is older than the wish that waits.
        rig.machine.follow("b", true, rig.now());
        rig.machine.refreshFollows(rig.now());
        Upload topics = rig.machine.outbox.waiting(Kind.TOPICS, "ann", Lanes.TOPICS);
        rig.answers.answered(topics, ModelGateway.success(",\"topics\":[{\"topic\":\"a\"},{\"topic\":\"c\"}]"), rig.now(), 0);
        Check.equal("[b, c]", rig.machine.follows.wanted().toString(), "followed");
        Check.equal(Bell.LIVE, rig.machine.bell("c"), "what another phone follows");
        rig.told.clear();
        rig.rest();
        Check.that(rig.told.toString().contains("DELETE topics/a/follow"), rig.told.toString());
    }

    private static void logout() throws Exception {
        Rig rig = Rig.loggedIn();
        rig.message("m", "start", 100);
        rig.machine.follow("a", true, rig.now());
        rig.machine.token("new", rig.now());
        rig.machine.logout(rig.now());
        rig.paint();
        Check.that(rig.screen.isEmpty(), "something is shown");
        Check.equal(Handled.LOGGED_OUT, rig.message("m", "update", 101), "an update");
        rig.relaunch();
        rig.rest();
        Check.equal("[PUT topics/a/follow {\"insider_id\":\"ann\",\"udid\":\"udid\"}, "
            + "DELETE device {\"insider_id\":\"ann\",\"udid\":\"udid\"}]", rig.told.toString(), "what is told");
        rig.machine.login("bob", Walk.facts(true, 0), rig.now());
        rig.told.clear();
        rig.rest();
        String token = "\"insider_id\":\"bob\",\"udid\":\"udid\",\"token\":\"new\"";
        Check.that(rig.told.toString().contains(token), rig.told.toString());
    }

    private static void back() {
        Rig rig = Rig.loggedIn();
        rig.machine.follow("a", true, rig.now());
        rig.machine.follow("b", true, rig.now());
        rig.machine.follow("b", false, rig.now());
        rig.answer((Reply) null);
        rig.machine.logout(rig.now());
        Check.equal(Bell.OFF, rig.machine.bell("a"), "bell of nobody");
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        Check.equal(Bell.PENDING, rig.machine.bell("a"), "bell");
        Check.equal(Bell.OFF, rig.machine.bell("b"), "bell");
        for (Upload upload : rig.machine.outbox.all()) Check.that(upload.kind != Kind.ERASE, "it is still to be forgotten");
        Check.equal(5, rig.machine.outbox.all().size(), "two wishes, device, token, topics");
    }

    private static void barrier() {
        Rig rig = Rig.loggedIn();
        rig.machine.logout(rig.now());
        Upload under = rig.machine.next(rig.now());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.answers.answered(under, ModelGateway.refusal(500, "INTERNAL"), rig.now(), 0);
        Check.equal(null, rig.answer(200, ""), "what overtakes the erasure");
        rig.elapsed += rig.waits();
        rig.rest();
        Check.that(rig.told.get(0).startsWith("DELETE device"), rig.told.toString());
        Check.equal(4, rig.told.size(), rig.told.toString());
    }

    private static void between() {
        Rig rig = new Rig();
        rig.machine.token("t", rig.now());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.answer(200, "");
        Upload under = rig.machine.next(rig.now());
        Check.equal(Kind.TOKEN, under.kind, "under way");
        rig.machine.login("bob", Walk.facts(true, 0), rig.now());
        rig.answers.answered(under, ModelGateway.success(""), rig.now(), 0);
        Check.equal(null, rig.machine.reportedToken, "the token that the gateway has of the other user");
        rig.rest();
        Check.equal("t", rig.machine.reportedToken, "the token that the gateway has");
    }

    private static void names() {
        String long251 = String.join("", Collections.nCopies(251, "x"));
        Runnable[] wrong = {
            () -> new Settings.Builder("ftp://x", "k", "u"), () -> new Settings.Builder("https://x", "", "u"),
            () -> new Settings.Builder("https://x", "k", long251), () -> Names.requireTopic("a/b"),
            () -> Names.requireTopic(""), () -> Names.requireToken("a b"), () -> Names.requireToken("\u00e9"),
            () -> Names.require("\u00e9" + long251.substring(2), 250, "x"), () -> Names.require(" ", 250, "x"),
            () -> new DeviceFacts("x", null, true, true), () -> new ExternalName("T", null, Scope.USER),
            () -> new Content("t", null, "[1]", null), () -> new Content("t", null, "{", null),
            () -> new Settings.Builder("https://x", "k", "u").queueCapacity(1),
        };
        for (int index = 0; index < wrong.length; index++) {
            try {
                wrong[index].run();
            } catch (IllegalArgumentException expected) {
                continue;
            }
            throw new AssertionError("name " + index + " is taken");
        }
        Check.equal("8.1.0", new DeviceFacts("8.1.0-beta", null, true, true).toJson().get("os_version"), "a version");
    }

    private static void secrets() {
        Rig rig = new Rig(new Settings.Builder("https://g", "sdk-secret", "udid").signer((user, udid) -> "s").build());
        rig.machine.login("ann", Walk.facts(true, 0), rig.now());
        rig.machine.token("token-secret", rig.now());
        rig.machine.signatures.put("ann", "signature-secret");
        Upload upload = rig.machine.next(rig.now());
        Request request = rig.machine.request(upload);
        Check.equal("signature-secret", request.headers().get("X-Identity-Signature"), "the signature");
        Check.that(!request.toString().contains("secret"), request.toString());
        rig.answers.answered(upload, ModelGateway.refusal(401, "UNAUTHORIZED"), rig.now(), 0);
        Check.that(!rig.machine.status().lastProblem().contains("secret"), "status");
    }
}
