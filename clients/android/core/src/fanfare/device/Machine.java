package fanfare.device;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that the library knows, and what is done with it, without clock, disk, network or thread: who is logged in, what the
 * gateway has been told and what waits to be told. {@link KeptState} keeps all of it.
 */
final class Machine {
    private static final long LONGEST_TAP_AGE = 86_400_000;

    final Settings settings;
    final Outbox outbox;
    final Gate gate = new Gate();
    final Screen screen = new Screen();
    final LiveActivities activities;
    final MessageRules rules;
    final Follows follows = new Follows();
    final Plans plans;
    private List<Notice> notices = new ArrayList<>();
    /** Null when nobody is logged in. */
    String insiderId;
    DeviceFacts facts;
    /** The newest registration token; null when FCM has given none. */
    String token;
    /** What the gateway has of the user who is logged in; null when nothing is known to be there. */
    String reportedDevice;
    String reportedToken;
    /** When both were last asked to be reported, in epoch milliseconds. */
    long reportedAt;
    /** By user: of the one who is logged in, and of those who have left and have yet to be told so. */
    final Map<String, String> signatures = new LinkedHashMap<>();
    String lastProblem = "";
    /** Whether the gateway has dropped reports, being switched off: once it takes some, what is shown is told again. */
    boolean hasDropped;
    /** Grows with each change. */
    long version;

    Machine(Settings settings) {
        this.settings = settings;
        outbox = new Outbox(settings.queueCapacity);
        activities = new LiveActivities(settings, screen);
        rules = new MessageRules(activities, settings, screen);
        plans = new Plans(outbox);
    }

    // MARK: Who it is

    void login(String user, DeviceFacts facts, Now now) {
        version++;
        if (insiderId != null && !insiderId.equals(user)) logout(now);
        boolean isNew = insiderId == null;
        insiderId = user;
        if (isNew) {
            outbox.withdraw(Kind.ERASE, user, Lanes.DEVICE);
            for (Upload upload : outbox.all()) {
                boolean isWish = upload.kind == Kind.FOLLOW && upload.insiderId.equals(user);
                if (isWish) follows.wish(Lanes.subject(upload.lane), Json.flag(upload.fields, "followed"));
            }
            reportedAt = now.wall;
        }
        describe(facts, now);
        reportToken(false, now);
        if (isNew) refreshFollows(now);
        if (gate.reason.needsAttention()) gate.tryNow();
    }

    /** The user's Live Activities leave the screen, and the gateway forgets the phone; wishes are told before. */
    void logout(Now now) {
        if (insiderId == null) return;
        version++;
        outbox.withdrawAllButFollows(insiderId);
        outbox.add(Kind.ERASE, insiderId, Lanes.DEVICE, new LinkedHashMap<String, Object>(), now);
        activities.removeAll();
        follows.clear();
        plans.clear();
        reportedDevice = null;
        reportedToken = null;
        insiderId = null;
        facts = null;
    }

    void describe(DeviceFacts facts, Now now) {
        version++;
        boolean tookPushes = this.facts == null || this.facts.takesPushes();
        this.facts = facts;
        if (insiderId == null) return;
        reportDevice(false, now);
        // The gateway dropped the tokens of the Live Activities when the device took no pushes.
        if (!tookPushes && facts.takesPushes()) for (Known known : activities.shown()) sync(known, 0, now);
    }

    void token(String token, Now now) {
        version++;
        this.token = token;
        reportToken(false, now);
    }

    void reportDevice(boolean again, Now now) {
        if (insiderId == null || facts == null) return;
        Map<String, Object> fields = facts.toJson();
        Upload newest = outbox.newest(Kind.DEVICE, insiderId, Lanes.DEVICE);
        boolean isTold = newest != null ? newest.fields.equals(fields) : Json.write(fields).equals(reportedDevice);
        if (!isTold || (again && newest == null)) outbox.add(Kind.DEVICE, insiderId, Lanes.DEVICE, fields, now);
    }

    void reportToken(boolean again, Now now) {
        if (insiderId == null || token == null) return;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("token", token);
        Upload newest = outbox.newest(Kind.TOKEN, insiderId, Lanes.TOKEN);
        boolean isTold = newest != null ? newest.fields.equals(fields) : token.equals(reportedToken);
        if (!isTold || (again && newest == null)) outbox.add(Kind.TOKEN, insiderId, Lanes.TOKEN, fields, now);
    }

    /** The app has come to the foreground: once in a while everything is told again. */
    void foreground(Now now) {
        version++;
        boolean isOld = now.wall - reportedAt >= settings.reportAgainAfter || reportedAt > now.wall;
        if (insiderId != null && isOld) {
            reportedAt = now.wall;
            reportDevice(true, now);
            reportToken(true, now);
            for (Known known : activities.shown()) sync(known, 0, now);
            refreshFollows(now);
        }
        if (gate.reason == PauseReason.NO_NETWORK || gate.reason.needsAttention()) gate.tryNow();
    }

    void networkAvailable() {
        if (gate.reason == PauseReason.NO_NETWORK) gate.tryNow();
    }

    // MARK: Follows

    /** False when the user follows as many topics as a user may. */
    boolean follow(String topic, boolean isWanted, Now now) {
        if (insiderId == null || !follows.hasRoomFor(topic)) return false;
        version++;
        follows.wish(topic, isWanted);
        rules.wished(isWanted, now);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("followed", isWanted);
        Upload newest = outbox.newest(Kind.FOLLOW, insiderId, Lanes.ofTopic(topic));
        boolean isTold = newest != null ? newest.fields.equals(fields) : isWanted && follows.isKnown(topic);
        if (!isTold) outbox.add(Kind.FOLLOW, insiderId, Lanes.ofTopic(topic), fields, now);
        return true;
    }

    Bell bell(String topic) {
        if (!follows.isWanted(topic)) return Bell.OFF;
        if (facts != null && !facts.mayNotify()) return Bell.NO_PERMISSION;
        boolean isPending = insiderId != null && outbox.has(Kind.FOLLOW, insiderId, Lanes.ofTopic(topic));
        return isPending || !follows.isKnown(topic) ? Bell.PENDING : Bell.LIVE;
    }

    void refreshFollows(Now now) {
        if (insiderId == null) return;
        version++;
        outbox.add(Kind.TOPICS, insiderId, Lanes.TOPICS, new LinkedHashMap<String, Object>(), now);
    }

    // MARK: Uploads

    Upload sync(Known known, long delay, Now now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (known.name != null) known.name.putInto(fields);
        else fields.put("activity_id", known.activityId);
        Upload sync = outbox.add(Kind.SYNC, insiderId, Lanes.of(known.key), fields, now);
        sync.waitFor(delay, now);
        return sync;
    }

    /** The upload to be sent now, which is under way from then on; null when there is none. */
    Upload next(Now now) {
        dropOld(now);
        if (gate.isShut(now)) return null;
        Upload upload = plans.attempt(outbox.ready(now), now);
        if (upload == null) return null;
        upload.attempts++;
        outbox.underWay = upload;
        version++;
        return upload;
    }

    /** When {@link #next} may have one, by the monotonic clock; {@link Long#MAX_VALUE} when none waits. */
    long nextAt() {
        long ready = outbox.readyAt();
        return ready == Long.MAX_VALUE ? ready : Math.max(ready, gate.until);
    }

    /** The request that this upload is; null when what it was about is gone, and so is the upload then. */
    Request request(Upload upload) {
        Plan plan = upload.kind == Kind.SCHEDULE ? plans.find(upload.text("plan")) : null;
        if (upload.kind == Kind.SCHEDULE && plan == null) {
            outbox.remove(upload);
            return null;
        }
        Known known = activities.find(Lanes.subject(upload.lane));
        String activityId = known == null || known.activityId == null ? upload.text("activity_id") : known.activityId;
        return Requests.of(upload, settings, activityId, plan, signatures.get(upload.insiderId));
    }

    private void dropOld(Now now) {
        for (Iterator<Upload> each = outbox.all().iterator(); each.hasNext();) {
            Upload upload = each.next();
            // The clock was set back.
            if (upload.createdAt > now.wall) upload.createdAt = now.wall;
            boolean isTooOld = upload.kind == Kind.TAP && now.wall - upload.createdAt > LONGEST_TAP_AGE;
            if (!isTooOld || upload == outbox.underWay) continue;
            each.remove();
            version++;
            tell(new Refusal(upload.kind.name(), Lanes.subject(upload.lane), 0, "", "it is older than a day"));
        }
    }

    // MARK: What is told

    void tell(final Refusal refusal) {
        notices.add(listener -> listener.onRefused(refusal));
    }

    void tell(Notice notice) {
        notices.add(notice);
    }

    List<Notice> takeNotices() {
        List<Notice> taken = notices;
        notices = new ArrayList<>();
        return taken;
    }

    Status status() {
        return new Status(
            insiderId, gate.reason, lastProblem, outbox.all().size(), outbox.dropped,
            token != null && token.equals(reportedToken));
    }
}
