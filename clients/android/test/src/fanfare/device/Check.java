package fanfare.device;

import java.util.Objects;

/** What a test expects. */
final class Check {
    private Check() {
    }

    static void that(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    static void equal(Object expected, Object actual, String what) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
        }
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    /** Looks again and again, for half a minute at most: a machine may have much else to do. */
    static void eventually(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) throw new AssertionError(what + " did not come within half a minute");
            Thread.sleep(50);
        }
    }

    /** Waits until nothing waits to be sent, over pauses that a fast clock makes short. */
    static void eventuallyFlushed(FanfareDevice device) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!device.flush(1_000)) {
            Thread.sleep(5);
            if (System.nanoTime() > deadline) {
                throw new AssertionError(device.status().waiting() + " uploads still wait: " + device.status().lastProblem());
            }
        }
    }
}
