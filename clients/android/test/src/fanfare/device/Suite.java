package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** Tests by what they show. */
final class Suite {
    interface Test {
        void run() throws Exception;
    }

    private final Map<String, Test> tests = new LinkedHashMap<>();
    int passed;
    int failed;

    void add(String what, Test test) {
        tests.put(what, test);
    }

    void run() {
        for (Map.Entry<String, Test> each : tests.entrySet()) {
            long start = System.nanoTime();
            try {
                each.getValue().run();
                passed++;
                long millis = (System.nanoTime() - start) / 1_000_000;
                System.out.println("ok      " + each.getKey() + (millis > 200 ? " (" + millis + " ms)" : ""));
            } catch (Throwable problem) {
                failed++;
                System.out.println("FAILED  " + each.getKey() + ": " + problem);
                for (StackTraceElement line : problem.getStackTrace()) {
                    if (line.getClassName().startsWith("fanfare.")) System.out.println("        at " + line);
                }
            }
        }
    }
}
