package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** What messages, the user and the app do to Live Activities, and what is reported of it. Pure, as the machine is. */
final class ActivityCalls {
    private final Machine machine;

    ActivityCalls(Machine machine) {
        this.machine = machine;
    }

    /** @param roll from 0 to below 1 */
    Handled message(Map<String, String> data, Now now, double roll) {
        if (!PushMessage.isOurs(data)) return Handled.NOT_OURS;
        PushMessage message = PushMessage.of(data);
        if (message == null) return Handled.MALFORMED;
        if (machine.insiderId == null) return Handled.LOGGED_OUT;
        machine.version++;
        Handled handled = machine.rules.apply(message, machine.insiderId, now);
        Known known = machine.activities.findByActivity(message.activityId);
        if (known == null) return handled;
        String lane = Lanes.of(known.key);
        switch (handled) {
            case SHOWN:
                // The user wants it after all; a dismissal that has not left would end it.
                machine.outbox.withdraw(Kind.DISMISSED, machine.insiderId, lane);
                machine.sync(known, (long) (roll * machine.settings.syncSpread), now);
                break;
            case UPDATED:
                // The gateway has started it again, and so does not know that it is there.
                if (message.event.equals(PushMessage.START)) machine.sync(known, 0, now);
                break;
            case ENDED:
                machine.outbox.withdraw(Kind.SYNC, machine.insiderId, lane);
                break;
            case DISMISSED:
                boolean goesOn = known.state == Known.State.DISMISSED;
                if (goesOn && !machine.outbox.has(Kind.DISMISSED, machine.insiderId, lane)) report(Kind.DISMISSED, known, now);
                break;
            default:
                break;
        }
        return handled;
    }

    /** The app opens one, or changes what it shows. False when nobody is logged in. */
    boolean open(ExternalName name, String title, String text, String contentState, String attributes, Now now) {
        if (machine.insiderId == null) return false;
        machine.version++;
        boolean isNew = machine.activities.open(name, title, text, contentState, attributes, machine.insiderId, now);
        Known known = machine.activities.find(name.key());
        if (known == null || !isNew) return known != null;
        machine.outbox.withdraw(Kind.DISMISSED, machine.insiderId, Lanes.of(known.key));
        machine.outbox.putFirst(machine.sync(known, 0, now));
        return true;
    }

    /**
     * The user has swiped it away, or the app closes it. False when it does not go on.
     *
     * @param isOnScreen whether it must be taken away
     */
    boolean dismissed(String key, boolean isOnScreen, Now now) {
        Known known = machine.activities.find(key);
        if (known == null) return false;
        machine.version++;
        if (isOnScreen) machine.screen.remove(known);
        if (!machine.activities.dismiss(known) || machine.insiderId == null) return false;
        String lane = Lanes.of(key);
        Upload sync = machine.outbox.waiting(Kind.SYNC, machine.insiderId, lane);
        boolean wasSent = sync == null || sync.attempts > 0 || machine.outbox.underWay != null
            && machine.outbox.underWay.lane.equals(lane);
        machine.outbox.withdraw(Kind.SYNC, machine.insiderId, lane);
        // Of one that the app opened and that was never reported the gateway knows nothing.
        if (known.activityId != null || wasSent) report(Kind.DISMISSED, known, now);
        return true;
    }

    /** Takes a dismissal back. False when the gateway may know of it, or there is none. */
    boolean showAgain(String key, Now now) {
        Known known = machine.activities.find(key);
        if (known == null || known.state != Known.State.DISMISSED || machine.insiderId == null) return false;
        Upload dismissal = machine.outbox.waiting(Kind.DISMISSED, machine.insiderId, Lanes.of(key));
        boolean isUntold = dismissal != null && dismissal.attempts == 0;
        boolean wasNeverThere = dismissal == null && known.activityId == null;
        if (!isUntold && !wasNeverThere) return false;
        machine.version++;
        machine.outbox.withdraw(Kind.DISMISSED, machine.insiderId, Lanes.of(key));
        machine.activities.putBack(known, now);
        machine.sync(known, 0, now);
        return true;
    }

    /** The user has tapped it. False when it is not known. */
    boolean tapped(String key, String tapId, Now now) {
        Known known = machine.activities.find(key);
        if (known == null || machine.insiderId == null) return false;
        machine.version++;
        Upload tap = report(Kind.TAP, known, now);
        tap.fields.put("tap_id", tapId);
        return true;
    }

    private Upload report(Kind kind, Known known, Now now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (kind == Kind.DISMISSED && known.activityId != null) fields.put("activity_id", known.activityId);
        return machine.outbox.add(kind, machine.insiderId, Lanes.of(known.key), fields, now);
    }

    /** False when the activity is not there, or as many wait as may. */
    boolean schedule(Plan plan, Now now) {
        Known known = machine.activities.find(plan.name.key());
        boolean isThere = known != null && known.state == Known.State.SHOWN && machine.insiderId != null;
        machine.plans.tick(now);
        if (!isThere || !machine.plans.hasRoomFor(plan.name)) return false;
        machine.version++;
        machine.plans.add(plan, machine.insiderId, now);
        return true;
    }

    /** False when it is not known, or has been carried out. */
    boolean cancel(String planId, Now now) {
        Plan plan = machine.plans.find(planId);
        if (plan == null || machine.insiderId == null) return false;
        machine.version++;
        machine.plans.cancel(plan, machine.insiderId, now);
        return true;
    }

    void cancelAll(ExternalName name, Now now) {
        if (machine.insiderId == null) return;
        machine.version++;
        machine.plans.cancelAll(name, machine.insiderId, now);
    }
}
