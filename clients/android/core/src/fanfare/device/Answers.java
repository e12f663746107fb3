package fanfare.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the gateway's answers come to. Pure, as the machine is. */
final class Answers {
    /** So often an upload is tried that the gateway cannot take, unless it is one that lasts. */
    static final int MOST_STRIKES = 8;

    private final Machine machine;
    private final Taken taken;

    Answers(Machine machine) {
        this.machine = machine;
        taken = new Taken(machine);
    }

    /**
     * The upload that was under way has been answered.
     *
     * @param reply null when there was none
     * @param roll from 0 to below 1
     */
    void answered(Upload upload, Reply reply, Now now, double roll) {
        machine.version++;
        machine.outbox.underWay = null;
        PauseReason before = machine.gate.reason;
        if (reply == null) {
            problem("no answer to " + upload.kind);
            doubt(upload);
            machine.gate.shut(PauseReason.NO_NETWORK, Backoff.after(machine.gate.failures + 1, roll), now);
        } else {
            judge(upload, reply, now, roll);
        }
        // What has done nothing is said anew the next time.
        if (upload.attempt != null && !upload.attempt.isInDoubt) upload.attempt = null;
        // It may be the one that the network does not bear: another one is tried first the next time.
        if (machine.gate.isShut(now)) {
            upload.failures++;
            // Others get through, or it would not have been made anew.
            if (upload.doubts > 0) upload.waitFor(Backoff.after(upload.failures, roll), now);
        }
        // A newer one may have come while it was under way, or its user may have left.
        boolean isWanted = !isOfWhoHasLeft(upload) || upload.kind == Kind.ERASE || upload.kind == Kind.FOLLOW;
        if (!isWanted || machine.outbox.isSuperseded(upload)) machine.outbox.remove(upload);
        if (machine.gate.reason != before) {
            Status status = machine.status();
            machine.tell(listener -> listener.onStatusChanged(status));
        }
    }

    /** The upload was not sent, for nobody could be asked for a signature. */
    void unsigned(Upload upload, Now now, double roll) {
        upload.attempts--;
        answered(upload, null, now, roll);
    }

    private void judge(Upload upload, Reply reply, Now now, double roll) {
        Map<String, Object> body = parse(reply.body());
        String code = Json.string(body, "code");
        int status = reply.status();
        if (status != 200) problem(status + " " + (code == null ? "" : code) + " to " + upload.kind);
        if (status == 200 && "success".equals(Json.string(body, "status"))) {
            reached(now);
            machine.outbox.remove(upload);
            taken.taken(upload, body, now, roll);
        } else if (status == 202) {
            dropped(upload, now, roll);
        } else if (status == 401) {
            unauthorized(upload, reply, now, roll);
        } else if (status == 403) {
            forbidden(upload, reply, code, now, roll);
        } else if (status == 429) {
            shut(PauseReason.RATE_LIMITED, reply, now, roll);
        } else if (status == 500 || status == 501 || status > 504) {
            doubt(upload);
            strike(upload, reply, now, roll);
        } else if (status > 501 || status == 408) {
            doubt(upload);
            shut(PauseReason.UNAVAILABLE, reply, now, roll);
        } else if (status < 400) {
            // Not the gateway: the page of a network that wants a login, say.
            shut(PauseReason.NO_NETWORK, reply, now, roll);
        } else if (code == null) {
            shut(PauseReason.UNAVAILABLE, reply, now, roll);
        } else {
            reached(now);
            if (status == 404) notFound(upload, reply, now, roll);
            else if (code.equals("IDEMPOTENCY_KEY_REUSED") && upload.kind == Kind.SCHEDULE) machine.plans.doubt(upload, now);
            else if (code.equals("NOT_STARTED")) strike(upload, reply, now, roll);
            else refuse(upload, reply);
        }
    }

    private static Map<String, Object> parse(String body) {
        try {
            return Json.parseObject(body);
        } catch (JsonException none) {
            return Collections.emptyMap();
        }
    }

    /** The gateway works on what it is sent. */
    private void reached(Now now) {
        machine.gate.open();
        if (!machine.hasDropped) return;
        machine.hasDropped = false;
        if (machine.insiderId == null) return;
        for (Known known : machine.activities.shown()) machine.sync(known, 0, now);
        machine.refreshFollows(now);
    }

    private void shut(PauseReason reason, Reply reply, Now now, double roll) {
        int failures = machine.gate.failures + 1;
        boolean isAsked = reply.retryAfterSeconds() >= 0;
        long delay = isAsked ? Backoff.retryAfter(reply.retryAfterSeconds(), failures, roll) : Backoff.after(failures, roll);
        machine.gate.shut(reason, delay, now);
    }

    private void pause(PauseReason reason, Now now, double roll) {
        machine.gate.shut(reason, Backoff.paused(machine.gate.failures + 1, roll), now);
    }

    private void dropped(Upload upload, Now now, double roll) {
        if (!upload.kind.isLasting()) machine.hasDropped = true;
        // To be forgotten is carried out all the same.
        if (upload.kind == Kind.ERASE || !upload.kind.isLasting()) machine.outbox.remove(upload);
        if (upload.kind == Kind.SCHEDULE) machine.plans.remove(upload.text("plan"));
        // Something must wait, or nobody would learn that it is over.
        if (machine.hasDropped) machine.reportDevice(true, now);
        if (machine.gate.reason != PauseReason.SWITCHED_OFF) machine.gate.failures = 0;
        pause(PauseReason.SWITCHED_OFF, now, roll);
    }

    private void unauthorized(Upload upload, Reply reply, Now now, double roll) {
        machine.signatures.remove(upload.insiderId);
        if (machine.settings.signer != null && !upload.isSignedAnew) {
            upload.isSignedAnew = true;
        } else if (isOfWhoHasLeft(upload)) {
            strike(upload, reply, now, roll);
        } else {
            if (machine.gate.reason != PauseReason.UNAUTHORIZED) machine.gate.failures = 0;
            pause(PauseReason.UNAUTHORIZED, now, roll);
        }
    }

    private void forbidden(Upload upload, Reply reply, String code, Now now, double roll) {
        boolean isAboutOne = upload.kind == Kind.FOLLOW || upload.kind == Kind.SYNC || upload.kind == Kind.SCHEDULE;
        if (isAboutOne && "QUOTA_EXCEEDED".equals(code)) {
            reached(now);
            refuse(upload, reply);
        } else if (isOfWhoHasLeft(upload)) {
            strike(upload, reply, now, roll);
        } else {
            if (machine.gate.reason != PauseReason.FORBIDDEN) machine.gate.failures = 0;
            pause(PauseReason.FORBIDDEN, now, roll);
        }
    }

    private void notFound(Upload upload, Reply reply, Now now, double roll) {
        switch (upload.kind) {
            case SYNC:
                syncNotFound(upload, reply, now, roll);
                break;
            case FOLLOW:
                if (Json.flag(upload.fields, "followed")) {
                    refuse(upload, reply);
                } else {
                    machine.outbox.remove(upload);
                    taken.taken(upload, Collections.<String, Object>emptyMap(), now, roll);
                }
                break;
            case DISMISSED:
            case CANCEL:
                machine.outbox.remove(upload);
                break;
            case TAP:
            case SCHEDULE:
                refuse(upload, reply);
                break;
            default:
                // The gateway has this route, so the URL is another's.
                shut(PauseReason.UNAVAILABLE, reply, now, roll);
                break;
        }
    }

    private void syncNotFound(Upload upload, Reply reply, Now now, double roll) {
        if (upload.fields.containsKey("external_id")) {
            // The gateway does not know the device: it is told before the next try.
            boolean isCurrent = upload.insiderId.equals(machine.insiderId) && machine.facts != null;
            if (isCurrent && machine.outbox.newest(Kind.DEVICE, upload.insiderId, Lanes.DEVICE) == null) {
                machine.outbox.addBefore(upload, Kind.DEVICE, Lanes.DEVICE, machine.facts.toJson(), now);
            }
            strike(upload, reply, now, roll);
            return;
        }
        machine.outbox.remove(upload);
        Known known = machine.activities.find(Lanes.subject(upload.lane));
        if (known != null && known.state == Known.State.SHOWN) machine.activities.endNow(known);
    }

    /** The gateway was reached, and cannot take this one now; others go on. */
    private void strike(Upload upload, Reply reply, Now now, double roll) {
        upload.strikes++;
        boolean isBounded = !upload.kind.isLasting() || isOfWhoHasLeft(upload);
        if (isBounded && upload.strikes >= MOST_STRIKES) {
            refuse(upload, reply);
            return;
        }
        long asked = reply.retryAfterSeconds();
        long delay = isOfWhoHasLeft(upload) ? Backoff.paused(upload.strikes, roll) : Backoff.after(upload.strikes, roll);
        upload.waitFor(asked >= 0 ? Backoff.retryAfter(asked, upload.strikes, roll) : delay, now);
    }

    private void refuse(Upload upload, Reply reply) {
        machine.outbox.remove(upload);
        String subject = Lanes.subject(upload.lane);
        boolean isCurrent = upload.insiderId.equals(machine.insiderId);
        if (upload.kind == Kind.FOLLOW && isCurrent && !machine.outbox.has(Kind.FOLLOW, upload.insiderId, upload.lane)) {
            machine.follows.refused(subject);
            machine.tell(DeviceListener::onBellsChanged);
        }
        if (upload.kind == Kind.SCHEDULE) machine.plans.remove(upload.text("plan"));
        Map<String, Object> body = parse(reply.body());
        String code = Json.string(body, "code");
        String message = Json.string(body, "error");
        machine.tell(new Refusal(
            upload.kind.name(), subject, reply.status(), code == null ? "" : code, message == null ? "" : message));
    }

    /** It may have been carried out. */
    private static void doubt(Upload upload) {
        if (upload.attempt != null && upload.attempts > 0) upload.attempt.isInDoubt = true;
    }

    private boolean isOfWhoHasLeft(Upload upload) {
        return !upload.insiderId.equals(machine.insiderId);
    }

    private void problem(String text) {
        machine.lastProblem = text;
    }

    /** The topics with a wish that is on its way. */
    static List<String> pendingTopics(Machine machine) {
        List<String> topics = new ArrayList<>();
        for (Upload upload : machine.outbox.all()) {
            if (upload.kind == Kind.FOLLOW && upload.insiderId.equals(machine.insiderId)) {
                topics.add(Lanes.subject(upload.lane));
            }
        }
        return topics;
    }
}
