package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All Live Activities of the phone; what messages do to them is {@link MessageRules}. At most so many are known as the
 * settings say; of more the ones that are over make way first, then dismissed ones, then those that wait for a start, the
 * oldest of each; last the oldest that is shown.
 */
final class LiveActivities {
    /** An activity that the app opens lives a week at the gateway. */
    private static final long LONGEST_OPENED = 7 * 86_400_000L;

    private final Map<String, Known> byKey = new LinkedHashMap<>();
    private final Settings settings;
    private final Screen screen;
    private long changes;

    LiveActivities(Settings settings, Screen screen) {
        this.settings = settings;
        this.screen = screen;
    }

    Known find(String key) {
        return byKey.get(key);
    }

    Known findByActivity(String activityId) {
        for (Known known : byKey.values()) {
            if (activityId.equals(known.activityId)) return known;
        }
        return null;
    }

    List<Known> shown() {
        List<Known> shown = new ArrayList<>();
        for (Known known : byKey.values()) {
            if (known.state == Known.State.SHOWN) shown.add(known);
        }
        return shown;
    }

    void add(Known known) {
        byKey.put(known.key, known);
    }

    /** The content of one has changed. */
    void changed(Known known) {
        known.changeNumber = ++changes;
    }

    /** It goes on, and is on the screen. */
    void show(Known known, String insiderId, boolean alerts, Now now) {
        if (known.state != Known.State.SHOWN || known.shownAt == 0) known.shownAt = now.wall;
        known.state = Known.State.SHOWN;
        known.insiderId = insiderId;
        known.visibleUntil = 0;
        screen.show(known, alerts, now);
    }

    /** The app opens one, or gives it new content. Whether it was not shown before. */
    boolean open(ExternalName name, String title, String message, String contentState, String attributes, String insiderId,
        Now now) {
        Known known = byKey.get(name.key());
        boolean isNew = known == null || known.state != Known.State.SHOWN;
        if (known == null) {
            known = new Known(name.key(), Known.State.SHOWN);
            byKey.put(known.key, known);
        }
        known.name = name;
        known.type = name.activityType();
        known.title = title;
        known.message = message;
        known.contentState = contentState;
        if (attributes != null) known.attributes = attributes;
        known.lastEvent = "app";
        changed(known);
        known.staleDate = 0;
        show(known, insiderId, isNew, now);
        makeRoom();
        return isNew;
    }

    /** The gateway has said which activity this one belongs to: what came for it before is taken over. */
    void join(Known opened, String activityId, Now now) {
        Known other = findByActivity(activityId);
        opened.activityId = activityId;
        if (other == null || other == opened) return;
        byKey.remove(other.key);
        if (other.state == Known.State.SHOWN || other.visibleUntil > 0) screen.remove(other);
        if (other.timestamp < opened.timestamp) return;
        boolean isNewest = other.changeNumber > opened.changeNumber;
        opened.timestamp = other.timestamp;
        if (!isNewest) return;
        opened.takeNewer(other);
        if (opened.state != Known.State.SHOWN) return;
        if (other.state == Known.State.ENDED) {
            endNow(opened);
        } else {
            screen.show(opened, false, now);
        }
    }

    /** It is over, and leaves the screen. */
    void endNow(Known known) {
        known.state = Known.State.ENDED;
        known.visibleUntil = 0;
        screen.remove(known);
    }

    /** The user has swiped it away; whether it went on until then. */
    boolean dismiss(Known known) {
        boolean wentOn = known.state == Known.State.SHOWN;
        if (wentOn) known.state = Known.State.DISMISSED;
        known.visibleUntil = 0;
        return wentOn;
    }

    /** Puts back a dismissed one. */
    void putBack(Known known, Now now) {
        show(known, known.insiderId, false, now);
    }

    /**
     * Shows silently what belongs on the screen, and takes away what does not: after a reboot, or a death in between, it
     * differs.
     */
    void restore(Now now) {
        tick(now);
        for (Known known : byKey.values()) {
            if (known.state == Known.State.SHOWN || known.visibleUntil > now.wall) screen.show(known, false, now);
            else screen.remove(known);
        }
    }

    /** Takes away all of a user who leaves. */
    void removeAll() {
        for (Known known : byKey.values()) {
            if (known.state == Known.State.SHOWN || known.visibleUntil > 0) screen.remove(known);
        }
        byKey.clear();
    }

    /** Does what has become due: final contents leave, and contents become stale. Whether anything changed. */
    boolean tick(Now now) {
        boolean changed = false;
        for (Known known : byKey.values()) {
            changed |= followClock(known, now);
            if (known.state == Known.State.ENDED && known.visibleUntil > 0 && known.visibleUntil <= now.wall) {
                endNow(known);
                changed = true;
            } else if (isForgotten(known, now)) {
                endNow(known);
                changed = true;
            } else if (known.state == Known.State.SHOWN && known.isStale(now) && !known.wasShownStale) {
                known.wasShownStale = true;
                screen.show(known, false, now);
                changed = true;
            }
        }
        return changed;
    }

    /** A clock that was set back makes nothing stay longer than it may. Whether anything changed. */
    private boolean followClock(Known known, Now now) {
        long shownAt = Math.min(known.shownAt, now.wall);
        long visibleUntil = Math.min(known.visibleUntil, now.wall + settings.longestLife);
        boolean changes = shownAt != known.shownAt || visibleUntil != known.visibleUntil;
        known.shownAt = shownAt;
        known.visibleUntil = visibleUntil;
        return changes;
    }

    /** Its end must have been lost. One that the app has opened may go on for a week. */
    private boolean isForgotten(Known known, Now now) {
        long longest = known.name == null ? settings.longestLife : LONGEST_OPENED;
        return known.state == Known.State.SHOWN && now.wall - known.shownAt > longest;
    }

    /** When the next thing becomes due, in epoch milliseconds; {@link Long#MAX_VALUE} when nothing does. */
    long nextTick() {
        long next = Long.MAX_VALUE;
        for (Known known : byKey.values()) {
            if (known.state == Known.State.ENDED && known.visibleUntil > 0) next = Math.min(next, known.visibleUntil);
            if (known.state == Known.State.SHOWN && known.staleDate > 0 && !known.wasShownStale) {
                next = Math.min(next, known.staleDate * 1_000);
            }
        }
        return next;
    }

    /** Forgets the least of them when there are too many. */
    void makeRoom() {
        if (byKey.size() <= settings.rememberedLiveActivities) return;
        Known least = null;
        for (Known known : byKey.values()) {
            if (least == null || worth(known) < worth(least)) least = known;
        }
        if (least.state == Known.State.SHOWN || least.visibleUntil > 0) screen.remove(least);
        byKey.remove(least.key);
    }

    /** The map is in order of age. */
    private static int worth(Known known) {
        switch (known.state) {
            case ENDED:
                return 0;
            case DISMISSED:
                return 1;
            case WAITING:
                return 2;
            default:
                return 3;
        }
    }

    List<Object> toJson() {
        List<Object> json = new ArrayList<>();
        for (Known known : byKey.values()) json.add(known.toJson());
        return json;
    }

    void load(List<Map<String, Object>> json) {
        for (Map<String, Object> element : json) {
            Known known = Known.fromJson(element);
            if (known == null) continue;
            byKey.put(known.key, known);
            changes = Math.max(changes, known.changeNumber);
        }
    }
}
