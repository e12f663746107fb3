package fanfare.device.android;

import android.app.Notification;
import android.app.NotificationManager;
import android.app.PendingIntent;
import android.app.job.JobInfo;
import android.app.job.JobScheduler;
import android.content.Intent;
import android.os.Build;
import fanfare.device.Bell;
import fanfare.device.Content;
import fanfare.device.DeviceListener;
import fanfare.device.ExternalName;
import fanfare.device.FanfareDevice;
import fanfare.device.Handled;
import fanfare.device.LiveActivity;
import fanfare.device.Reply;
import fanfare.device.Request;
import fanfare.device.Scope;
import fanfare.device.Settings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Drives the Android part on a framework that remembers, of the release that the property {@code android.api} names. */
public final class AndroidTests {
    private static final LiveActivityChannel CHANNEL = new LiveActivityChannel("live", "Live", "What is going on");
    private static final NotificationManager MANAGER = NotificationManager.INSTANCE;

    private final List<String> requests = new ArrayList<>();
    private volatile boolean hasNetwork = true;
    private TestContext context;
    private FanfareDevice device;
    private long timestamp = 1_800_000_000;

    private AndroidTests() {
    }

    /** The suite of this release: names, and runs. */
    public static Map<String, Runnable> tests() {
        Map<String, Runnable> tests = new LinkedHashMap<>();
        String release = "API " + Build.VERSION.SDK_INT + ": ";
        add(tests, release + "a Live Activity is one notification: shown, updated silently or with an alert, ended",
            AndroidTests::life);
        add(tests, release + "progress, the chip's text and the request to be promoted", AndroidTests::progress);
        add(tests, release + "swiped away: told, and it stays away; a newer start shows it again", AndroidTests::dismissal);
        add(tests, release + "a tap opens the app and is told once", AndroidTests::tap);
        add(tests, release + "after a reboot the notifications are back, silently", AndroidTests::reboot);
        add(tests, release + "without the permission the bell says so, and the gateway is told", AndroidTests::permission);
        add(tests, release + "without a network a job is asked for, and sends what waits", AndroidTests::job);
        return tests;
    }

    private interface Body {
        void run(AndroidTests test) throws Exception;
    }

    private static void add(Map<String, Runnable> tests, String name, Body body) {
        tests.put(name, () -> {
            AndroidTests test = new AndroidTests();
            try {
                test.begin();
                body.run(test);
            } catch (Exception problem) {
                throw new AssertionError(problem);
            } finally {
                FanfareAndroid.uninstall();
                test.context.deleteFiles();
            }
        });
    }

    private static void that(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    private static void equal(Object expected, Object actual, String what) {
        that(java.util.Objects.equals(expected, actual), what + ": expected " + expected + ", got " + actual);
    }

    private void begin() throws IOException {
        MANAGER.shown.clear();
        MANAGER.log.clear();
        MANAGER.channels.clear();
        MANAGER.isEnabled = true;
        JobScheduler.JOBS.clear();
        File folder = Files.createTempDirectory("fanfare-android").toFile();
        context = new TestContext(folder);
        launch();
        device.login("ann", FanfareAndroid.facts(context, CHANNEL, true));
    }

    private void launch() {
        Settings settings = new Settings.Builder("https://gateway.test", "key", "udid").transport(this::answer)
            .syncSpreadMillis(0).listener(FanfareAndroid.listener(context, new DeviceListener())).build();
        device = FanfareAndroid.install(context, settings, CHANNEL, AndroidTests::look);
    }

    private Reply answer(Request request) throws IOException {
        if (!hasNetwork) throw new IOException("no network");
        synchronized (requests) {
            requests.add(request + " " + request.body());
        }
        boolean isOpened = request.body() != null && request.body().contains("external_id");
        String id = isOpened ? "o1" : "m1";
        return new Reply(200, -1, "{\"status\":\"success\",\"activity_id\":\"" + id + "\",\"topics\":[]}");
    }

    private boolean wasTold(String part) throws InterruptedException {
        that(device.flush(5_000), "something still waits");
        synchronized (requests) {
            return requests.stream().anyMatch(request -> request.contains(part));
        }
    }

    private static Look look(LiveActivity activity) {
        if ("Unknown".equals(activity.activityType())) return null;
        Look.Builder look = new Look.Builder(7, activity.title() == null ? "Match" : activity.title())
            .text(activity.contentState()).shortText("1:0").color(0xFF0000FF);
        if (activity.contentState() != null && activity.contentState().contains("minute")) {
            look.segment(45, 0xFF00FF00).segment(45, 0).progress(60).point(45, 0xFFFF0000);
        }
        return look.build();
    }

    private Handled message(String event, String state, String title, String... more) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", "m1");
        data.put("live_activity_event", event);
        data.put("live_activity_timestamp", String.valueOf(++timestamp));
        if (state != null) data.put("content_state", state);
        if (title != null) data.put("title", title);
        for (int index = 0; index < more.length; index += 2) data.put(more[index], more[index + 1]);
        return device.handleMessage(data);
    }

    private Notification shown() {
        return MANAGER.shown.get("m1");
    }

    private void life() throws Exception {
        equal(3, MANAGER.channels.get("live").importance, "the channel's importance");
        that(!MANAGER.channels.get("live").showsBadge, "it shows a badge");
        equal(Handled.SHOWN, message("start", "{\"h\":0}", "Kick-off", "live_activity_type", "Match"), "start");
        that(wasTold("POST https://gateway.test/api/v1/sdk/sync"), "the gateway was not told that it is there");
        Notification first = shown();
        equal(true, first.get("ongoing"), "ongoing");
        equal(false, first.get("onlyAlertOnce"), "a start alerts");
        equal("Kick-off", first.get("contentTitle"), "title");
        equal("live", first.get("channel"), "channel");
        equal("status", first.get("category"), "category");
        equal(null, first.get("timeoutAfter"), "timeout");
        equal(Handled.UPDATED, message("update", "{\"h\":1}", null), "update");
        equal(true, shown().get("onlyAlertOnce"), "a silent update does not alert");
        equal("{\"h\":1}", shown().get("contentText"), "text");
        message("update", "{\"h\":2}", "Goal!");
        equal(false, shown().get("onlyAlertOnce"), "an update with a title alerts");
        equal(Handled.STALE, device.handleMessage(old()), "an older message");
        equal("{\"h\":2}", shown().get("contentText"), "text after an older message");
        equal(Handled.ENDED, message("end", "{\"h\":3}", null), "end");
        equal(false, shown().get("ongoing"), "ongoing after the end");
        equal(true, shown().get("autoCancel"), "goes with a tap after the end");
        long timeout = (Long) shown().get("timeoutAfter");
        that(timeout > 3 * 3_600_000 && timeout <= 4 * 3_600_000, "it leaves after four hours: " + timeout);
        equal("[show m1, update m1, update m1, update m1]", MANAGER.log.toString(), "what was done");
        message("start", "{}", "Again");
        message("end", null, null);
        equal(null, shown(), "an end without content takes it away");
        message("start", "{}", "T", "live_activity_type", "Unknown");
        equal(null, shown(), "a type that the app does not know");
    }

    private Map<String, String> old() {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("live_activity_id", "m1");
        data.put("live_activity_event", "update");
        data.put("live_activity_timestamp", "1800000000");
        data.put("content_state", "{\"h\":9}");
        return data;
    }

    private void progress() throws Exception {
        message("start", "{\"minute\":60}", "Kick-off");
        Object style = shown().get("style");
        if (Build.VERSION.SDK_INT < 36) {
            equal("BigTextStyle", style.getClass().getSimpleName(), "style");
            equal("60/90", shown().get("progress"), "progress");
            equal(null, shown().get("extras"), "extras");
            that(!FanfareAndroid.mayBePromoted(context), "promoted before Android 16");
        } else {
            equal("ProgressStyle", style.getClass().getSimpleName(), "style");
            equal(60, style.getClass().getField("progress").get(style), "progress");
            List<?> segments = (List<?>) style.getClass().getField("segments").get(style);
            equal(2, segments.size(), "segments");
            equal(45, segments.get(0).getClass().getField("length").get(segments.get(0)), "length");
            equal(0xFF00FF00, segments.get(0).getClass().getField("color").get(segments.get(0)), "color");
            equal(1, ((List<?>) style.getClass().getField("points").get(style)).size(), "points");
            equal(true, shown().get("requestPromotedOngoing"), "request to be promoted");
            equal("{android.requestPromotedOngoing=true}", shown().get("extras").toString(), "extras");
            equal("1:0", shown().get("shortCriticalText"), "the chip's text");
            that(FanfareAndroid.mayBePromoted(context), "not promoted");
        }
        message("update", "{\"h\":1}", null);
        equal("BigTextStyle", shown().get("style").getClass().getSimpleName(), "style without progress");
        message("end", "{\"minute\":90}", null);
        equal("90/90".length(), String.valueOf(shown().get("progress")).length(), "the end is an ordinary notification");
    }

    private void dismissal() throws Exception {
        message("start", "{}", "Kick-off");
        that(device.flush(5_000), "something still waits");
        PendingIntent swipe = (PendingIntent) shown().get("deleteIntent");
        that((swipe.flags & PendingIntent.FLAG_IMMUTABLE) != 0, "the intent can be changed");
        MANAGER.shown.clear();
        swipe.send();
        that(wasTold("sdk/dismissed {\"insider_id\":\"ann\",\"udid\":\"udid\",\"activity_id\":\"m1\"}"), "nobody was told");
        equal(Handled.DISMISSED, message("update", "{\"h\":1}", "Goal!"), "update");
        equal(null, shown(), "it is back");
        equal(Handled.SHOWN, message("start", "{\"h\":2}", "Second half"), "a newer start");
        that(shown() != null, "a newer start does not show it");
    }

    private void tap() throws Exception {
        message("start", "{}", "Kick-off");
        PendingIntent tap = (PendingIntent) shown().get("contentIntent");
        that(tap.isActivity, "a tap must open an activity");
        equal("main", tap.intent.getAction(), "what it opens");
        equal("fanfare:m1", tap.intent.getData().toString(), "what tells it from others");
        equal("m1", FanfareAndroid.onIntent(tap.intent), "the key");
        equal(null, FanfareAndroid.onIntent(tap.intent), "the second time");
        equal(null, FanfareAndroid.onIntent(null), "no intent");
        that(wasTold("sdk/tap"), "nobody was told");
        equal(1L, requests.stream().filter(request -> request.contains("sdk/tap")).count(), "taps");
    }

    private void reboot() throws Exception {
        message("start", "{\"h\":1}", "Kick-off");
        String opened = device.open(
            new ExternalName("Order", "4711", Scope.USER), new Content("Your order", "is on its way", "{\"eta\":9}", null));
        FanfareAndroid.uninstall();
        MANAGER.shown.clear();
        launch();
        new LiveActivityReceiver().onReceive(
            context, new Intent(context, LiveActivityReceiver.class).setAction(Intent.ACTION_BOOT_COMPLETED));
        equal("{\"h\":1}", shown().get("contentText"), "text");
        equal(true, shown().get("onlyAlertOnce"), "it alerts");
        equal("{\"eta\":9}", MANAGER.shown.get(opened).get("contentText"), "the one that the app opened");
        equal(Handled.STALE, device.handleMessage(old()), "an older message is known as such after the reboot");
    }

    private void permission() throws Exception {
        device.follow("ajax");
        that(device.flush(5_000), "something still waits");
        equal(Bell.LIVE, device.bell("ajax"), "bell");
        MANAGER.isEnabled = false;
        device.describe(FanfareAndroid.facts(context, CHANNEL, true));
        equal(Bell.NO_PERMISSION, device.bell("ajax"), "bell");
        that(wasTold("\"app_version\":\"7.4.0\",\"push_opt_in\":false"), "the gateway was not told");
        MANAGER.isEnabled = true;
        that(FanfareAndroid.facts(context, CHANNEL, true).mayNotify(), "with the permission");
        MANAGER.channels.get("live").importance = NotificationManager.IMPORTANCE_NONE;
        that(!FanfareAndroid.facts(context, CHANNEL, true).mayNotify(), "with the channel switched off");
    }

    private void job() throws Exception {
        that(device.flush(5_000), "something still waits");
        hasNetwork = false;
        device.unfollow("ajax");
        for (int tries = 0; JobScheduler.JOBS.isEmpty(); tries++) {
            that(tries < 100, "no job was asked for");
            Thread.sleep(50);
        }
        JobInfo info = JobScheduler.JOBS.get(UploadJob.JOB_ID);
        equal(UploadJob.class, info.service.type, "the job's service");
        equal(JobInfo.NETWORK_TYPE_ANY, info.networkType, "the network that it needs");
        FanfareAndroid.uninstall();
        hasNetwork = true;
        launch();
        UploadJob job = new UploadJob();
        that(job.onStartJob(null), "the job has nothing to do");
        equal(false, job.finished.get(10, TimeUnit.SECONDS), "it wants to be run again");
        that(wasTold("DELETE https://gateway.test/api/v1/sdk/topics/ajax/follow"), "the unfollow was not sent");
    }
}
