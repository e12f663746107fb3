package fanfare.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What follows when the gateway has taken an upload. Pure, as the machine is. */
final class Taken {
    private final Machine machine;

    Taken(Machine machine) {
        this.machine = machine;
    }

    /**
     * @param body of the reply
     * @param roll from 0 to below 1
     */
    void taken(Upload upload, Map<String, Object> body, Now now, double roll) {
        boolean isCurrent = upload.insiderId.equals(machine.insiderId);
        if (upload.kind == Kind.ERASE && !isCurrent) machine.signatures.remove(upload.insiderId);
        if (!isCurrent) return;
        String subject = Lanes.subject(upload.lane);
        switch (upload.kind) {
            case DEVICE:
                machine.reportedDevice = Json.write(upload.fields);
                break;
            case TOKEN:
                token(upload.text("token"), now);
                break;
            case FOLLOW:
                machine.follows.taken(subject, Json.flag(upload.fields, "followed"));
                machine.tell(DeviceListener::onBellsChanged);
                break;
            case SYNC:
                synced(machine.activities.find(subject), Json.string(body, "activity_id"), now);
                break;
            case DISMISSED:
                // It may have been that of a topic, which is not followed any more then.
                if (!machine.follows.wanted().isEmpty()) machine.refreshFollows(now);
                break;
            case TAP:
                TapAttribution attribution = new TapAttribution(
                    subject, Json.string(body, "activity_id"), Json.string(body, "schedule_id"),
                    Json.string(body, "schedule_name"));
                machine.tell(listener -> listener.onTapAttributed(attribution));
                break;
            case CANCEL:
                machine.plans.cancelled(upload, now, roll);
                break;
            case SCHEDULE:
                machine.plans.made(upload, Json.string(body, "schedule_id"), now);
                break;
            case TOPICS:
                if (body.containsKey("topics")) topics(Json.objects(body, "topics"));
                break;
            default:
                break;
        }
    }

    /** Whoever shows a Live Activity when the token changes says so once more: an end that was missed is then sent again. */
    private void token(String token, Now now) {
        boolean isNew = !token.equals(machine.reportedToken);
        machine.reportedToken = token;
        if (!isNew) return;
        for (Known known : machine.activities.shown()) machine.sync(known, 0, now);
    }

    private void synced(Known known, String activityId, Now now) {
        if (known == null || activityId == null || activityId.equals(known.activityId)) return;
        machine.activities.join(known, activityId, now);
    }

    private void topics(List<Map<String, Object>> topics) {
        List<String> followed = new ArrayList<>();
        for (Map<String, Object> topic : topics) {
            String name = Json.string(topic, "topic");
            if (name != null) followed.add(name);
        }
        if (machine.follows.replace(followed, Answers.pendingTopics(machine))) {
            machine.tell(DeviceListener::onBellsChanged);
        }
    }
}
