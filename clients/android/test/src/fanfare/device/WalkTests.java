package fanfare.device;

/** Thousands of lives against a model of the gateway. */
final class WalkTests {
    private WalkTests() {
    }

    static void add(Suite suite, long seed, int lives) {
        suite.add(lives + " lives of scripted phones: the gateway knows the newest token and wishes, the screen is right",
            () -> {
            long relaunches = 0;
            long requests = 0;
            Seen seen = new Seen();
            for (int life = 0; life < lives; life++) {
                Walk walk = new Walk(seed + life);
                try {
                    walk.run(120);
                    seen.add(walk);
                } catch (Throwable problem) {
                    throw new AssertionError("life of seed " + (seed + life) + ": " + problem.getMessage(), problem);
                }
                relaunches += walk.phone.relaunches;
                requests += walk.phone.gateway.requests;
            }
            System.out.println("        " + relaunches + " relaunches, " + requests + " requests; at the end " + seen);
        });
    }
}
