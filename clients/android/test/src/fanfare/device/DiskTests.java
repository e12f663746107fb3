package fanfare.device;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Random;

/** What is kept, and how. */
final class DiskTests {
    private DiskTests() {
    }

    static void add(Suite suite) {
        suite.add("JSON: what is written is read, what is none is refused", DiskTests::json);
        suite.add("a corrupt file is set aside and all goes on; half-written ones do no harm", DiskTests::corrupt);
        suite.add("a machine that is loaded is the one that was kept", DiskTests::round);
    }

    private static void json() throws Exception {
        String[] good = {
            "{}", "[]", "{\"a\":[1,-2,0.5,1e3,true,false,null,\"x\\u00e9\\n\\\"\\\\\"]}", "\"\\ud83d\\ude00\"", " 1 ",
        };
        for (String text : good) {
            String written = Json.write(Json.parse(text));
            Check.equal(written, Json.write(Json.parse(written)), text);
        }
        String escapes = "{\"a\":\"\\u0001\\\"\\\\\u00e9\\ud800\"}";
        Check.equal(escapes, Json.write(Json.parse(escapes)), "escapes");
        String[] bad = {
            "", "{", "[1,]", "{\"a\"}", "01", "1.", "+1", "nul", "\"\\x\"", "\"a", "{} {}", "\"\n\"", "NaN", "[1 2]",
            "{\"a\":1,}", "'a'", "-", "\"\\u12g4\""};
        for (String text : bad) {
            try {
                Json.parse(text);
            } catch (JsonException expected) {
                continue;
            }
            throw new AssertionError("it is taken: " + text);
        }
        StringBuilder deep = new StringBuilder();
        for (int level = 0; level < 100_000; level++) deep.append('[');
        try {
            Json.parse(deep.toString());
            throw new AssertionError("it is taken");
        } catch (JsonException expected) {
            Check.that(expected.getMessage().contains("depth"), expected.getMessage());
        }
    }

    private static void corrupt() throws Exception {
        Random random = new Random(5);
        for (int round = 0; round < 60; round++) {
            File folder = Folders.make("fanfare");
            StateFile file = new StateFile(folder);
            Rig rig = Rig.loggedIn();
            rig.message("m", "start", 100);
            String text = KeptState.of(rig.machine);
            file.write(text);
            Check.equal(text, file.read(), "what is kept");
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            byte[] half = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
            // A death while it is written leaves a part beside it, which nobody reads.
            Files.write(new File(folder, "fanfare-device.next").toPath(), half);
            Check.equal(text, file.read(), "what is kept");
            Files.write(new File(folder, "fanfare-device.json").toPath(), half);
            Keeper keeper = new Keeper(rig.settings, file, new Screenshot(), rig.now());
            Check.equal(null, keeper.machine.insiderId, "who is logged in");
            Check.that(keeper.machine.status().lastProblem().contains("set aside"), "nothing is said");
            Check.that(new File(folder, "fanfare-device.corrupt").exists(), "it is not kept aside");
            synchronized (keeper) {
                keeper.machine.login("ann", Walk.facts(true, 0), rig.now());
                keeper.commit();
            }
            Check.equal("ann", new Keeper(rig.settings, file, new Screenshot(), rig.now()).machine.insiderId, "after that");
        }
    }

    private static void round() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            Walk walk = new Walk(seed);
            walk.run(60);
            String kept = KeptState.of(walk.phone.machine);
            Machine loaded = KeptState.load(walk.phone.settings, kept, walk.phone.now());
            Check.equal(kept, KeptState.of(loaded), "what is loaded");
        }
    }
}
