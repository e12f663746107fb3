package fanfare.device;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the app has scheduled, until its time has passed. A request to schedule that got no answer is made again by its key.
 * Where the gateway may have forgotten that, all of the activity's are cancelled, and made anew.
 */
final class Plans {
    /** As many as may wait for a user and activity. */
    static final int MOST_OF_ONE = 20;
    static final int MOST = 200;

    private final Map<String, Plan> byId = new LinkedHashMap<>();
    private final Outbox outbox;

    Plans(Outbox outbox) {
        this.outbox = outbox;
    }

    Plan find(String id) {
        return byId.get(id);
    }

    boolean hasRoomFor(ExternalName name) {
        return byId.size() < MOST && of(name.key()).size() < MOST_OF_ONE;
    }

    void add(Plan plan, String insiderId, Now now) {
        byId.put(plan.id, plan);
        enqueue(plan, insiderId, now);
    }

    private void enqueue(Plan plan, String insiderId, Now now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("plan", plan.id);
        outbox.add(Kind.SCHEDULE, insiderId, Lanes.of(plan.name.key()), fields, now);
    }

    /** Takes one back. */
    void cancel(Plan plan, String insiderId, Now now) {
        byId.remove(plan.id);
        Upload upload = uploadOf(plan);
        boolean isSent = upload == outbox.underWay && upload != null;
        if (upload != null && !isSent) {
            boolean mayBeMade = upload.attempts > 0;
            outbox.remove(upload);
            if (!mayBeMade) return;
        }
        if (plan.scheduleId != null) {
            Map<String, Object> fields = cancellation(plan.name);
            fields.put("schedule_id", plan.scheduleId);
            // Of its own lane, so that it replaces no other cancellation.
            outbox.add(Kind.CANCEL, insiderId, Lanes.of(plan.name.key()) + "#" + plan.id, fields, now);
        } else {
            // It is not known by what name the gateway has it, if it has it.
            outbox.add(Kind.CANCEL, insiderId, Lanes.of(plan.name.key()), cancellation(plan.name), now);
            makeAnew(plan.name.key(), insiderId, now);
        }
    }

    /** Takes all of an activity back. */
    void cancelAll(ExternalName name, String insiderId, Now now) {
        for (Plan plan : of(name.key())) byId.remove(plan.id);
        outbox.withdraw(Kind.SCHEDULE, insiderId, Lanes.of(name.key()));
        outbox.add(Kind.CANCEL, insiderId, Lanes.of(name.key()), cancellation(name), now);
    }

    /** Notes the attempt of an upload that is to be sent now. The upload to be sent, which may be a cancellation before it. */
    Upload attempt(Upload first, Now now) {
        Upload upload = first;
        while (upload != null && upload.kind == Kind.SCHEDULE && upload.attempt != null && upload.attempt.isInDoubt
            && upload.attempt.isForgotten(now)) {
            doubt(upload, now);
            upload = outbox.ready(now);
        }
        if (upload == null || (upload.kind != Kind.SCHEDULE && upload.kind != Kind.CANCEL)) return upload;
        if (upload.attempt != null && upload.attempt.isForgotten(now)) upload.attempt = null;
        if (upload.attempt != null) return upload;
        Plan plan = byId.get(upload.text("plan"));
        upload.attempt = new Attempt(
            upload.id + "-" + upload.createdAt + "-" + now.wall, plan == null ? 0 : plan.offset(now), now.wall);
        return upload;
    }

    /** The gateway has made it. */
    void made(Upload upload, String scheduleId, Now now) {
        Plan plan = byId.get(upload.text("plan"));
        if (plan == null) return;
        plan.scheduleId = scheduleId;
        if (scheduleId == null || upload.attempt == null || !upload.attempt.isLate(now)) return;
        Map<String, Object> fields = cancellation(plan.name);
        fields.put("schedule_id", scheduleId);
        outbox.add(Kind.CANCEL, upload.insiderId, Lanes.of(plan.name.key()) + "#" + plan.id, fields, now);
        plan.scheduleId = null;
        enqueue(plan, upload.insiderId, now);
    }

    /** Nobody can say any more whether this upload was taken. */
    void doubt(Upload upload, Now now) {
        Plan plan = byId.get(upload.text("plan"));
        if (plan == null) {
            // It was taken back, and what takes it back from the gateway waits behind it.
            outbox.remove(upload);
            return;
        }
        upload.attempts = 0;
        upload.attempt = null;
        outbox.addBefore(upload, Kind.CANCEL, upload.lane, cancellation(plan.name), now);
        makeAnew(plan.name.key(), upload.insiderId, now);
    }

    /**
     * The gateway has taken a cancellation. What is made anew behind it for the second time or more waits: it is not the
     * network that fails, and one after the other they would never stop.
     *
     * @param roll from 0 to below 1
     */
    void cancelled(Upload cancellation, Now now, double roll) {
        for (Upload upload : outbox.all()) {
            boolean isMadeAnew = upload.kind == Kind.SCHEDULE && upload.failures > 0
                && upload.lane.equals(cancellation.lane) && upload.insiderId.equals(cancellation.insiderId);
            if (isMadeAnew && ++upload.doubts > 1) upload.waitFor(Backoff.after(upload.doubts - 1, roll), now);
        }
    }

    private void makeAnew(String key, String insiderId, Now now) {
        for (Plan each : of(key)) {
            if (each.scheduleId == null || each.deliverAt <= now.wall) continue;
            each.scheduleId = null;
            enqueue(each, insiderId, now);
        }
    }

    private Map<String, Object> cancellation(ExternalName name) {
        Map<String, Object> fields = new LinkedHashMap<>();
        name.putInto(fields);
        return fields;
    }

    private Upload uploadOf(Plan plan) {
        for (Upload upload : outbox.all()) {
            if (upload.kind == Kind.SCHEDULE && plan.id.equals(upload.text("plan"))) return upload;
        }
        return null;
    }

    private List<Plan> of(String key) {
        List<Plan> plans = new ArrayList<>();
        for (Plan plan : byId.values()) {
            if (plan.name.key().equals(key)) plans.add(plan);
        }
        return plans;
    }

    void remove(String id) {
        byId.remove(id);
    }

    /** Forgets what has been carried out. */
    void tick(Now now) {
        for (Iterator<Plan> each = byId.values().iterator(); each.hasNext();) {
            Plan plan = each.next();
            if (plan.scheduleId != null && plan.deliverAt <= now.wall) each.remove();
        }
    }

    void clear() {
        byId.clear();
    }

    List<Object> toJson() {
        List<Object> json = new ArrayList<>();
        for (Plan plan : byId.values()) json.add(plan.toJson());
        return json;
    }

    /** Loads them, and doubts what was under way when the process died; the outbox is loaded before. */
    void load(List<Map<String, Object>> json) {
        for (Map<String, Object> element : json) {
            Plan plan = Plan.fromJson(element);
            if (plan != null) byId.put(plan.id, plan);
        }
        for (Upload upload : outbox.all()) {
            if (upload.attempt != null) upload.attempt.isInDoubt = true;
        }
    }
}
