package fanfare.device;

/** What a message does to the Live Activity that it is about. Pure. */
final class MessageRules {
    /** For so long after a follow a start counts as asked for, in milliseconds. */
    private static final long ASKED_FOR = 60_000;
    /** Timestamps of what happens within a second differ by no more, in seconds. */
    private static final long CLOSE = 2;

    private final LiveActivities activities;
    private final Settings settings;
    private final Screen screen;
    /** When the user last followed a topic on this phone, in epoch milliseconds. */
    long followedAt;

    MessageRules(LiveActivities activities, Settings settings, Screen screen) {
        this.activities = activities;
        this.settings = settings;
        this.screen = screen;
    }

    /** What a message does. Afterwards {@link LiveActivities#findByActivity} has what it is about. */
    Handled apply(PushMessage message, String insiderId, Now now) {
        Known known = activities.findByActivity(message.activityId);
        if (known == null) return begin(message, insiderId, now);
        boolean isStart = message.event.equals(PushMessage.START);
        if (known.state == Known.State.WAITING && isStart) {
            boolean isNewer = message.timestamp >= known.timestamp;
            Known newest = isNewer ? null : new Known(known);
            take(known, message);
            if (newest != null) known.takeNewer(newest);
            return show(known, insiderId, true, now, Handled.SHOWN);
        }
        if (isOld(message, known, isStart, now)) return Handled.STALE;
        switch (known.state) {
            case SHOWN:
                take(known, message);
                if (message.event.equals(PushMessage.END)) return end(known, message, now);
                return show(known, known.insiderId, message.alerts(), now, Handled.UPDATED);
            case DISMISSED:
                take(known, message);
                if (message.event.equals(PushMessage.END)) {
                    known.state = Known.State.ENDED;
                } else if (isStart && settings.shownAgainByStart) {
                    return show(known, insiderId, true, now, Handled.SHOWN);
                }
                return Handled.DISMISSED;
            case ENDED:
                if (!isStart) {
                    // The final content stays what it is.
                    known.timestamp = message.timestamp;
                    known.lastEvent = message.event;
                    return Handled.STALE;
                }
                take(known, message);
                return show(known, insiderId, true, now, Handled.SHOWN);
            default:
                take(known, message);
                if (!message.event.equals(PushMessage.END)) return Handled.NOT_STARTED;
                activities.endNow(known);
                return Handled.ENDED;
        }
    }

    /**
     * Whether nothing comes of the message. Who unfollows and follows within a second is sent an end and a start whose
     * timestamps need not grow: so soon after a follow a start counts as newer than what has ended.
     */
    private boolean isOld(PushMessage message, Known known, boolean isStart, Now now) {
        boolean isOver = known.state == Known.State.DISMISSED || known.state == Known.State.ENDED;
        long sinceFollow = now.wall - followedAt;
        boolean isAskedFor = isStart && isOver && sinceFollow >= 0 && sinceFollow <= ASKED_FOR;
        // What the user has swiped away must not come back by the same start.
        boolean isSame = known.state == Known.State.DISMISSED && message.timestamp <= known.startTimestamp;
        if (isAskedFor && !isSame && message.timestamp >= known.timestamp - CLOSE) return false;
        if (message.timestamp < known.timestamp) return true;
        return message.timestamp == known.timestamp && message.event.equals(known.lastEvent);
    }

    /** The user has followed a topic, for which a start may come, or follows one no more. */
    void wished(boolean isFollowed, Now now) {
        followedAt = isFollowed ? now.wall : 0;
    }

    private void take(Known known, PushMessage message) {
        known.take(message);
        activities.changed(known);
    }

    private Handled show(Known known, String insiderId, boolean alerts, Now now, Handled handled) {
        activities.show(known, insiderId, alerts, now);
        return handled;
    }

    private Handled begin(PushMessage message, String insiderId, Now now) {
        boolean isEnd = message.event.equals(PushMessage.END);
        Known known = new Known(message.activityId, isEnd ? Known.State.ENDED : Known.State.WAITING);
        known.activityId = message.activityId;
        known.insiderId = insiderId;
        take(known, message);
        activities.add(known);
        if (message.event.equals(PushMessage.START)) show(known, insiderId, true, now, Handled.SHOWN);
        // It may be on the screen all the same, put there by a process that died before it could keep that.
        if (isEnd) screen.remove(known);
        activities.makeRoom();
        if (known.state == Known.State.SHOWN) return Handled.SHOWN;
        return isEnd ? Handled.ENDED : Handled.NOT_STARTED;
    }

    private Handled end(Known known, PushMessage message, Now now) {
        known.state = Known.State.ENDED;
        long until = message.dismissalDate >= 0 ? message.dismissalDate * 1_000 : now.wall + settings.endedStays;
        until = Math.min(until, now.wall + settings.longestLife);
        boolean stays = message.contentState != null && until > now.wall;
        known.visibleUntil = stays ? until : 0;
        if (stays) screen.show(known, message.alerts(), now);
        else screen.remove(known);
        return Handled.ENDED;
    }
}
