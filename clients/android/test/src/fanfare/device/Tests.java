package fanfare.device;

import java.io.File;

/** Runs all tests. */
public final class Tests {
    private Tests() {
    }

    /**
     * Arguments: the folder of what was built, the seed (18), how many lives are walked against the model (2,000) and how many
     * against a gateway (60; 0 for no test that needs one).
     */
    public static void main(String[] arguments) throws Exception {
        File built = new File(arguments[0]);
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 18;
        int gatewayLives = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 60;
        int lives = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 2_000;
        endAfter(120_000);
        Suite suite = new Suite();
        DiskTests.add(suite);
        WishTests.add(suite);
        RuleTests.add(suite);
        LiveActivityTests.add(suite);
        AndroidSuites.add(suite, built);
        HttpTests.add(suite);
        DriverTests.add(suite);
        DayTests.add(suite);
        EveryStepTests.add(suite);
        WalkTests.add(suite, seed, lives);
        suite.run();
        if (gatewayLives > 0) gateway(suite, seed, gatewayLives);
        System.out.println(suite.passed + " passed, " + suite.failed + " failed");
        System.exit(suite.failed == 0 ? 0 : 1);
    }

    private static void gateway(Suite suite, long seed, int lives) {
        try (Stack stack = new Stack()) {
            Suite gateway = new Suite();
            Customer customer = stack.tenant("shop");
            GatewayTests.add(gateway, stack, customer);
            GatewayWalks.add(gateway, stack, customer, seed, lives);
            gateway.run();
            suite.passed += gateway.passed;
            suite.failed += gateway.failed;
        } catch (Exception problem) {
            System.out.println("FAILED  a gateway could not be started: " + problem);
            suite.failed++;
        }
    }

    /** A test that does not end is one that fails. */
    private static void endAfter(long millis) {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException never) {
                return;
            }
            System.out.println("the tests take too long");
            System.out.println("0 passed, 1 failed");
            System.exit(1);
        });
        watch.setDaemon(true);
        watch.start();
    }
}
