package fanfare.device;

import java.io.Closeable;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * Keeps a phone and a Fanfare gateway in step: tells the gateway who the user is, how the phone is reached, what the user
 * follows and what becomes of Live Activities; shows what the gateway sends.
 *
 * <p>Make one for the process, with a folder of its own. What a method was told is on the disk when it returns, and is sent
 * by one thread of the library's own, again and again, until the gateway has it, also after the process has died. No method
 * waits for the network. All methods may be called on any thread; they write a small file, which some apps do not want on
 * the main thread.
 *
 * <p>Texts must not be null unless it is said otherwise; wrong ones are answered with {@link IllegalArgumentException}.
 */
public final class FanfareDevice implements Closeable {
    private final Keeper keeper;
    private final Clock clock;
    private final Random random;
    private final Thread thread;

    /**
     * Takes up what an earlier process has left, and begins to send it.
     *
     * @param settings where the gateway is
     * @param folder the library's own, such as {@code new File(context.getNoBackupFilesDir(), "fanfare")}: nobody else writes
     *     there, and no backup carries it to another phone
     * @param render shows Live Activities
     */
    public FanfareDevice(Settings settings, File folder, Render render) {
        this(settings, folder, render, Clock.SYSTEM, new Random());
    }

    FanfareDevice(Settings settings, File folder, Render render, Clock clock, Random random) {
        if (settings == null || folder == null || render == null) {
            throw new IllegalArgumentException("settings, folder and render must not be null");
        }
        this.clock = clock;
        this.random = random;
        keeper = new Keeper(settings, new StateFile(folder), render, clock.now());
        thread = new Thread(new Work(keeper, clock, new Random(random.nextLong())), "fanfare-device");
        thread.setDaemon(true);
        thread.start();
    }

    /** Something is done under the lock, kept, shown, and sent as soon as may be. */
    private interface Step<T> {
        T take(Now now);
    }

    private <T> T run(Step<T> step) {
        synchronized (keeper) {
            T result = step.take(clock.now());
            keeper.commit();
            keeper.notifyAll();
            return result;
        }
    }

    // MARK: Who it is

    /**
     * The user is logged in: call it at each launch as well. Another user than before is a {@link #logout} first.
     *
     * @param insiderId the user's name, 1 to 250 bytes
     * @param facts what the gateway is told of the phone
     */
    public void login(String insiderId, DeviceFacts facts) {
        Names.require(insiderId, 250, "insiderId");
        if (facts == null) throw new IllegalArgumentException("facts must not be null");
        run(now -> {
            keeper.machine.login(insiderId, facts, now);
            return null;
        });
    }

    /**
     * The user is logged out: the Live Activities leave the screen, and the gateway is asked to forget the phone for this user.
     * Wishes that were made are told before, and stay. Nothing happens when nobody is logged in.
     */
    public void logout() {
        run(now -> {
            keeper.machine.logout(now);
            return null;
        });
    }

    /** What is told of the phone has changed, such as the permission to show notifications. The same again costs nothing. */
    public void describe(DeviceFacts facts) {
        if (facts == null) throw new IllegalArgumentException("facts must not be null");
        run(now -> {
            keeper.machine.describe(facts, now);
            return null;
        });
    }

    /**
     * FCM has given the app this registration token: call it from {@code onNewToken}, and at each launch with what
     * {@code getToken} answers. The same again costs nothing.
     *
     * @param token 1 to 1,024 printable ASCII characters
     */
    public void onNewToken(String token) {
        Names.requireToken(token);
        run(now -> {
            keeper.machine.token(token, now);
            return null;
        });
    }

    /** The app has come to the foreground. Once in a day device and token are reported again. */
    public void onForeground() {
        run(now -> {
            keeper.machine.foreground(now);
            return null;
        });
    }

    /** There is a network again: what waits for one is tried at once. */
    public void onNetworkAvailable() {
        run(now -> {
            keeper.machine.networkAvailable();
            return null;
        });
    }

    // MARK: Live Activities

    /** As {@link #handleMessage(Map, Render)} with the render that was given to the constructor. */
    public Handled handleMessage(Map<String, String> data) {
        return run(now -> keeper.calls.message(data, now, random.nextDouble()));
    }

    /**
     * Does what a message of FCM says: call it with the {@code data} of each one. When it returns, the Live Activity is shown,
     * changed or gone.
     *
     * @param data of the message; not null
     * @param render shows this one change, in place of the one that was given to the constructor; not null
     * @return what became of it; {@link Handled#NOT_OURS} when it is for the rest of the app
     */
    public Handled handleMessage(Map<String, String> data, Render render) {
        synchronized (keeper) {
            Handled handled = keeper.calls.message(data, clock.now(), random.nextDouble());
            keeper.commit(render);
            keeper.notifyAll();
            return handled;
        }
    }

    /**
     * Opens a Live Activity from the app, or changes what it shows on this phone. The gateway is told when it is opened;
     * from then on a marketing system updates and ends it by its external name.
     *
     * @return its {@link LiveActivity#key()}; null when nobody is logged in
     */
    public String open(ExternalName name, Content content) {
        if (name == null || content == null) throw new IllegalArgumentException("name and content must not be null");
        boolean isOpen = run(now -> keeper.calls.open(
            name, content.title, content.message, content.contentState, content.attributes, now));
        return isOpen ? name.key() : null;
    }

    /**
     * The app takes a Live Activity away. The gateway counts it as dismissed.
     *
     * @return whether it was going on
     */
    public boolean closeActivity(String key) {
        return run(now -> keeper.calls.dismissed(key, true, now));
    }

    /**
     * The user has swiped a Live Activity away. It stays away: updates do not bring it back, but a newer start does.
     *
     * @return whether it was going on
     */
    public boolean onDismissed(String key) {
        return run(now -> keeper.calls.dismissed(key, false, now));
    }

    /**
     * Takes a dismissal back, as long as the gateway cannot know of it.
     *
     * @return whether it is shown again; when not, the gateway has ended it for this phone
     */
    public boolean showAgain(String key) {
        return run(now -> keeper.calls.showAgain(key, now));
    }

    /**
     * The user has tapped a Live Activity. {@link DeviceListener#onTapAttributed} is told what it belongs to.
     *
     * @return whether it is known
     */
    public boolean onTapped(String key) {
        String tapId = new UUID(random.nextLong(), random.nextLong()).toString();
        return run(now -> keeper.calls.tapped(key, tapId, now));
    }

    /**
     * Shows silently what belongs on the screen: call it at launch and when the phone has booted, after which nothing is
     * there.
     */
    public void restore() {
        run(now -> {
            keeper.machine.activities.restore(now);
            return null;
        });
    }

    /** The Live Activities that go on, the oldest first; not null. */
    public List<LiveActivity> shown() {
        return run(now -> {
            List<LiveActivity> shown = new ArrayList<>();
            for (Known known : keeper.machine.activities.shown()) shown.add(new LiveActivity(known, known.isStale(now)));
            return shown;
        });
    }

    // MARK: Schedules

    /**
     * Has the gateway update or end a Live Activity that the app has opened, on all of this user's phones: "chest ready in an
     * hour". Once it is due it is carried out although the app is not running.
     *
     * @param delayMillis from now, at most seven days
     * @param contentState a JSON object; null only when it ends
     * @param ends whether it is an end; else an update
     * @param options a JSON object as of an update or end; null for none
     * @param label a name that taps are told, at most 250 bytes; null for none
     * @return what {@link #cancelSchedule} takes; null when the Live Activity is not there, or twenty of it wait
     */
    public String schedule(
        ExternalName name, long delayMillis, String contentState, boolean ends, String options, String label) {
        if (name == null) throw new IllegalArgumentException("name must not be null");
        if (delayMillis < 0 || delayMillis > 604_800_000L) throw new IllegalArgumentException("at most seven days");
        if (contentState == null && !ends) throw new IllegalArgumentException("an update needs a contentState");
        Content.json(contentState, "contentState");
        Content.json(options, "options");
        if (label != null) Names.require(label, 250, "label");
        String id = new UUID(random.nextLong(), random.nextLong()).toString();
        boolean isPlanned = run(now -> keeper.calls.schedule(
            new Plan(id, name, now.wall + delayMillis, ends ? "end" : "update", contentState, options, label), now));
        return isPlanned ? id : null;
    }

    /**
     * Takes back what {@link #schedule} has answered.
     *
     * @return false when it has been carried out, or is not known
     */
    public boolean cancelSchedule(String id) {
        return run(now -> keeper.calls.cancel(id, now));
    }

    /** Takes back all that waits for the Live Activity, also what other phones of this user have scheduled. */
    public void cancelSchedules(ExternalName name) {
        if (name == null) throw new IllegalArgumentException("name must not be null");
        run(now -> {
            keeper.calls.cancelAll(name, now);
            return null;
        });
    }

    // MARK: Follows

    /**
     * The user follows a topic, from now on as far as {@link #bell} is concerned.
     *
     * @param topic 1 to 128 letters, digits and {@code -._~:}
     * @return false when nobody is logged in, or the user follows a thousand topics
     */
    public boolean follow(String topic) {
        Names.requireTopic(topic);
        return run(now -> keeper.machine.follow(topic, true, now));
    }

    /** The user does not follow a topic any more; as {@link #follow}. */
    public boolean unfollow(String topic) {
        Names.requireTopic(topic);
        return run(now -> keeper.machine.follow(topic, false, now));
    }

    /** What the bell beside the topic shows; not null. */
    public Bell bell(String topic) {
        synchronized (keeper) {
            return keeper.machine.bell(topic);
        }
    }

    /** The topics that are followed, those that the gateway does not know of yet included; not null. */
    public List<String> followed() {
        synchronized (keeper) {
            return keeper.machine.follows.wanted();
        }
    }

    /** Asks the gateway what the user follows: another phone may have changed it. */
    public void refreshFollows() {
        run(now -> {
            keeper.machine.refreshFollows(now);
            return null;
        });
    }

    // MARK: How it fares

    /** How it fares at this moment; not null. */
    public Status status() {
        synchronized (keeper) {
            return keeper.machine.status();
        }
    }

    /** Tries at once what waits, also after a 401 or 403. A {@code Retry-After} of the gateway is honoured all the same. */
    public void retryNow() {
        run(now -> {
            if (keeper.machine.gate.reason.needsAttention()) keeper.machine.gate.tryNow();
            keeper.machine.networkAvailable();
            return null;
        });
    }

    /**
     * Waits until nothing waits to be sent: for a job that the system runs for the app, and for the few seconds that FCM gives.
     *
     * @param timeoutMillis the longest wait
     * @return whether nothing waits; false at once when the next try is not due within that time
     * @throws InterruptedException when the thread is interrupted
     */
    public boolean flush(long timeoutMillis) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
        synchronized (keeper) {
            while (!keeper.machine.outbox.all().isEmpty()) {
                long left = (deadline - System.nanoTime()) / 1_000_000;
                boolean isUnderWay = keeper.machine.outbox.underWay != null;
                boolean isTooLate = !isUnderWay && keeper.machine.nextAt() - clock.now().monotonic > left;
                if (left <= 0 || isTooLate || keeper.isClosed) return false;
                keeper.wait(Math.min(left, 1_000));
            }
            return true;
        }
    }

    /** Ends the library's thread; what waits is on the disk. A request that is under way is left to itself. */
    @Override
    public void close() {
        synchronized (keeper) {
            keeper.isClosed = true;
            keeper.notifyAll();
        }
        if (Thread.currentThread() == thread) return;
        try {
            thread.join(1_000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
