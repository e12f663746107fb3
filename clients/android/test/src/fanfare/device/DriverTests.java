package fanfare.device;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The library's thread, its file and its lock. */
final class DriverTests {
    private DriverTests() {
    }

    static void add(Suite suite) {
        suite.add("a network that hangs holds up no call of the app", DriverTests::hanging);
        suite.add("one that was closed while a request hung writes nothing when its answer comes", DriverTests::late);
        suite.add("what the app's callbacks throw stops nothing", DriverTests::throwing);
        suite.add("what they throw although no signature names it, neither", DriverTests::sneaking);
        suite.add("a Live Activity whose start could not be kept leaves with its end", DriverTests::unkept);
        suite.add("a signer that cannot be reached is asked again; its signature is kept over a relaunch", DriverTests::signer);
        suite.add("a disk that is full is said, and all goes on", DriverTests::fullDisk);
        suite.add("many threads at once: nothing is lost", DriverTests::threads);
        suite.add("the library's thread ends with it, and flush does not wait for what is not due", DriverTests::ends);
    }

    private static Settings.Builder settings(Transport transport) {
        return new Settings.Builder("https://gateway.test", "key", "udid").transport(transport).syncSpreadMillis(0);
    }

    private static FanfareDevice device(Settings settings, File folder, Render render) {
        return new FanfareDevice(settings, folder, render, new FastClock(), new Random(1));
    }

    private static File folder() throws IOException {
        return Folders.make("fanfare-driver");
    }

    private static Map<String, String> start(String id) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", id);
        data.put("live_activity_event", "start");
        data.put("live_activity_timestamp", "1800000000");
        return data;
    }

    private static Reply success() {
        return ModelGateway.success(",\"topics\":[]");
    }

    private static void hanging() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Transport transport = request -> {
            hangs.countDown();
            try {
                goesOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return success();
        };
        Screenshot screen = new Screenshot();
        try (FanfareDevice device = device(settings(transport).build(), folder(), screen)) {
            device.login("ann", Walk.facts(true, 0));
            Check.that(hangs.await(5, TimeUnit.SECONDS), "nothing is sent");
            long before = System.nanoTime();
            Check.equal(Handled.SHOWN, device.handleMessage(start("m")), "start");
            device.onNewToken("token");
            device.follow("a");
            device.status();
            Check.that(System.nanoTime() - before < 2_000_000_000L, "a call waits for the network");
            Check.equal(1, screen.count(), "shown");
            goesOn.countDown();
            Check.eventuallyFlushed(device);
        }
    }

    private static void late() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        File folder = folder();
        Settings hanging = settings(request -> {
            hangs.countDown();
            try {
                goesOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return success();
        }).build();
        FanfareDevice first = device(hanging, folder, new Screenshot());
        first.login("ann", Walk.facts(true, 0));
        Check.that(hangs.await(5, TimeUnit.SECONDS), "nothing is sent");
        first.close();
        Settings dead = settings(request -> new Reply(503, 600, "{\"code\":\"OVERLOADED\"}")).build();
        try (FanfareDevice second = device(dead, folder, new Screenshot())) {
            second.follow("a");
        }
        goesOn.countDown();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("fanfare-device")) thread.join(5_000);
        }
        try (FanfareDevice third = device(dead, folder, new Screenshot())) {
            Check.equal("[a]", third.followed().toString(), "what is kept");
        }
    }

    private static void throwing() throws Exception {
        List<Refusal> refusals = Collections.synchronizedList(new ArrayList<>());
        Render render = new Render() {
            @Override
            public void show(LiveActivity activity, boolean alerts) {
                throw new IllegalStateException("no screen");
            }

            @Override
            public void remove(LiveActivity activity) {
                throw new IllegalStateException("no screen");
            }
        };
        Transport transport = request -> {
            if (request.url().contains("/topics/a/")) return ModelGateway.refusal(400, "VALIDATION_FAILED");
            if (request.url().contains("/topics/b/")) throw new IllegalStateException("their transport");
            return success();
        };
        boolean[] isGood = {false};
        Settings settings = settings(request -> {
            if (!isGood[0]) return transport.send(request);
            return success();
        }).listener(new DeviceListener() {
            @Override
            public void onRefused(Refusal refusal) {
                refusals.add(refusal);
                throw new IllegalStateException("their listener");
            }
        }).build();
        try (FanfareDevice device = device(settings, folder(), render)) {
            device.login("ann", Walk.facts(true, 0));
            device.follow("a");
            device.follow("b");
            Check.equal(Handled.SHOWN, device.handleMessage(start("m")), "start");
            Check.equal(1, device.shown().size(), "shown");
            Check.eventually("the refusal", () -> refusals.size() == 1);
            Check.equal(Bell.PENDING, device.bell("b"), "bell");
            isGood[0] = true;
            Check.eventuallyFlushed(device);
            Check.equal(Bell.LIVE, device.bell("b"), "bell");
        }
    }

    /** As Kotlin does, and so whatever reads JSON there. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void sneak(Exception any) throws E {
        throw (E) any;
    }

    private static void sneaking() throws Exception {
        Render render = new Render() {
            @Override
            public void show(LiveActivity activity, boolean alerts) {
                DriverTests.<RuntimeException>sneak(new Exception("no such member"));
            }

            @Override
            public void remove(LiveActivity activity) {
                DriverTests.<RuntimeException>sneak(new Exception("no such member"));
            }
        };
        int[] signed = {0};
        Settings settings = settings(request -> {
            if (request.url().contains("/topics/a/")) return ModelGateway.refusal(400, "VALIDATION_FAILED");
            if (signed[0] < 2) DriverTests.<RuntimeException>sneak(new Exception("their transport"));
            return success();
        }).signer((user, udid) -> {
            if (signed[0]++ == 0) DriverTests.<RuntimeException>sneak(new Exception("their signer"));
            signed[0]++;
            return "signature";
        }).listener(new DeviceListener() {
            @Override
            public void onRefused(Refusal refusal) {
                DriverTests.<RuntimeException>sneak(new Exception("their listener"));
            }
        }).build();
        try (FanfareDevice device = device(settings, folder(), render)) {
            device.login("ann", Walk.facts(true, 0));
            Map<String, String> data = start("m");
            data.put("stale_date", String.valueOf(System.currentTimeMillis() / 1_000 + 1));
            Check.equal(Handled.SHOWN, device.handleMessage(data), "start");
            Check.eventually("it is shown as stale, by the library's thread",
                () -> device.shown().get(0).isStale());
            device.follow("a");
            Check.eventuallyFlushed(device);
            device.follow("b");
            Check.eventuallyFlushed(device);
            Check.equal(Bell.LIVE, device.bell("b"), "bell");
        }
    }

    private static void unkept() throws Exception {
        File folder = folder();
        Screenshot screen = new Screenshot();
        Settings settings = settings(request -> success()).build();
        try (FanfareDevice device = device(settings, folder, screen)) {
            device.login("ann", Walk.facts(true, 0));
            Check.eventuallyFlushed(device);
            Files.createDirectory(new File(folder, "fanfare-device.next").toPath());
            Check.equal(Handled.SHOWN, device.handleMessage(start("m")), "start");
            Check.equal(Handled.SHOWN, device.handleMessage(start("n")), "start");
        }
        Files.delete(new File(folder, "fanfare-device.next").toPath());
        try (FanfareDevice device = device(settings, folder, screen)) {
            device.restore();
            Check.equal(2, screen.count(), "shown");
            Map<String, String> data = start("m");
            data.put("live_activity_event", "update");
            data.put("live_activity_timestamp", "1800000001");
            Check.equal(Handled.NOT_STARTED, device.handleMessage(data), "update");
            data.put("live_activity_event", "end");
            data.put("live_activity_timestamp", "1800000002");
            Check.equal(Handled.ENDED, device.handleMessage(data), "end");
            data.put("live_activity_id", "n");
            Check.equal(Handled.ENDED, device.handleMessage(data), "end");
            Check.equal(0, screen.count(), "shown after the end");
        }
    }

    private static void signer() throws Exception {
        int[] asked = {0};
        List<String> signatures = Collections.synchronizedList(new ArrayList<>());
        Settings settings = settings(request -> {
            signatures.add(request.headers().get("X-Identity-Signature"));
            return success();
        }).signer((user, udid) -> {
            if (asked[0]++ < 3) throw new IOException("no network");
            return user + "@" + udid;
        }).build();
        File folder = folder();
        try (FanfareDevice device = device(settings, folder, new Screenshot())) {
            device.login("ann", Walk.facts(true, 0));
            Check.eventuallyFlushed(device);
        }
        try (FanfareDevice device = device(settings, folder, new Screenshot())) {
            device.follow("a");
            Check.eventuallyFlushed(device);
        }
        Check.equal(4, asked[0], "how often it was asked");
        Check.equal("[ann@udid, ann@udid, ann@udid]", signatures.toString(), "signatures");
    }

    private static void fullDisk() throws Exception {
        File folder = folder();
        Files.createDirectory(new File(folder, "fanfare-device.next").toPath());
        try (FanfareDevice device = device(settings(request -> success()).build(), folder, new Screenshot())) {
            device.login("ann", Walk.facts(true, 0));
            Check.that(device.status().lastProblem().contains("could not be kept"), device.status().lastProblem());
            Check.eventuallyFlushed(device);
            Files.delete(new File(folder, "fanfare-device.next").toPath());
            device.follow("a");
            Check.that(new File(folder, "fanfare-device.json").exists(), "it is not kept once there is room");
        }
    }

    private static void threads() throws Exception {
        ModelGateway gateway = new ModelGateway();
        Settings settings = settings(request -> {
            try {
                return gateway.answer(request);
            } catch (JsonException wrong) {
                throw new IOException(wrong);
            }
        }).signer((user, udid) -> user + ":1").build();
        try (FanfareDevice device = device(settings, folder(), new Screenshot())) {
            device.login("ann", Walk.facts(true, 0));
            List<Thread> threads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                int number = thread;
                Thread each = new Thread(() -> {
                    for (int count = 0; count < 20; count++) {
                        device.follow("t" + number + "x" + count);
                        device.handleMessage(start("m" + number));
                        device.onNewToken("token" + number + "x" + count);
                    }
                    device.unfollow("t" + number + "x3");
                });
                threads.add(each);
                each.start();
            }
            for (Thread each : threads) each.join(20_000);
            device.onNewToken("last");
            Check.eventuallyFlushed(device);
            Check.equal(8 * 19, gateway.follows.get("ann").size(), "followed");
            Check.equal("last", gateway.phones.get("ann").token, "token");
        }
    }

    private static void ends() throws Exception {
        FanfareDevice device = new FanfareDevice(
            settings(request -> new Reply(503, 600, "{\"code\":\"OVERLOADED\"}")).build(), folder(), new Screenshot());
        device.login("ann", Walk.facts(true, 0));
        Check.eventually("503", () -> device.status().pauseReason() == PauseReason.UNAVAILABLE);
        long before = System.nanoTime();
        Check.that(!device.flush(10_000), "nothing waits");
        Check.that(System.nanoTime() - before < 5_000_000_000L, "flush waits for what is not due");
        device.close();
        Check.that(!device.flush(10_000), "nothing waits");
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            Check.that(!thread.getName().equals("fanfare-device"), "a thread is left");
        }
    }
}
