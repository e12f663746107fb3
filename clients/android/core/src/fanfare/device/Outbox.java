package fanfare.device;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The uploads that wait, in order. A newer one of the same kind and lane takes the place of an older one that is not under way.
 * At most {@code capacity} wait beside those that last ({@link Kind#isLasting}); of more the oldest of the least important kind
 * is dropped.
 */
final class Outbox {
    private final List<Upload> uploads = new ArrayList<>();
    private final int capacity;
    private long nextId = 1;
    /** The one that is under way; null when none is. */
    Upload underWay;
    /** How many were dropped because there was no room. */
    long dropped;

    Outbox(int capacity) {
        this.capacity = capacity;
    }

    List<Upload> all() {
        return uploads;
    }

    Upload add(Kind kind, String insiderId, String lane, Map<String, Object> fields, Now now) {
        Upload older = isReplaced(kind) ? waiting(kind, insiderId, lane) : null;
        if (older != null) {
            older.fields = fields;
            older.createdAt = now.wall;
            older.attempts = 0;
            older.strikes = 0;
            older.failures = 0;
            older.attempt = null;
            older.waitFor(0, now);
            return older;
        }
        Upload upload = new Upload(nextId++, kind, insiderId, lane, fields, now.wall);
        uploads.add(upload);
        if (kind.mayMakeWay()) makeRoom();
        return upload;
    }

    /** Whether a newer one says all that an older one says. */
    private static boolean isReplaced(Kind kind) {
        return kind != Kind.TAP && kind != Kind.SCHEDULE;
    }

    /** Whether a newer one has come for what this one says. */
    boolean isSuperseded(Upload upload) {
        int index = uploads.indexOf(upload);
        if (index < 0 || !isReplaced(upload.kind)) return false;
        for (Upload later : uploads.subList(index + 1, uploads.size())) {
            boolean isSame = later.kind == upload.kind && later.lane.equals(upload.lane);
            if (isSame && later.insiderId.equals(upload.insiderId)) return true;
        }
        return false;
    }

    /** Puts one in front of what waits of its lane: a schedule of what was swiped away and is opened again, say. */
    void putFirst(Upload upload) {
        for (int index = 0; index < uploads.size(); index++) {
            Upload other = uploads.get(index);
            if (other == upload) return;
            if (other == underWay || !other.lane.equals(upload.lane) || !other.insiderId.equals(upload.insiderId)) continue;
            uploads.remove(upload);
            uploads.add(index, upload);
            return;
        }
    }

    /** Puts one in front of another. */
    void addBefore(Upload next, Kind kind, String lane, Map<String, Object> fields, Now now) {
        Upload upload = new Upload(nextId++, kind, next.insiderId, lane, fields, now.wall);
        uploads.add(Math.max(0, uploads.indexOf(next)), upload);
    }

    /**
     * The newest of this kind and lane that is not under way; null when there is none. There may be an older one before it,
     * which was under way when a process died.
     */
    Upload waiting(Kind kind, String insiderId, String lane) {
        for (int index = uploads.size() - 1; index >= 0; index--) {
            Upload upload = uploads.get(index);
            if (upload != underWay && upload.kind == kind && upload.lane.equals(lane)
                && upload.insiderId.equals(insiderId)) {
                return upload;
            }
        }
        return null;
    }

    /** The newest of this kind and lane, which may be under way; null when there is none. */
    Upload newest(Kind kind, String insiderId, String lane) {
        Upload waiting = waiting(kind, insiderId, lane);
        if (waiting != null) return waiting;
        boolean isUnderWay = underWay != null && underWay.kind == kind && underWay.lane.equals(lane)
            && underWay.insiderId.equals(insiderId);
        return isUnderWay ? underWay : null;
    }

    boolean has(Kind kind, String insiderId, String lane) {
        return newest(kind, insiderId, lane) != null;
    }

    void remove(Upload upload) {
        uploads.remove(upload);
        if (upload == underWay) underWay = null;
    }

    /** Takes back what waits of this kind and lane; what is under way stays. */
    void withdraw(Kind kind, String insiderId, String lane) {
        for (Iterator<Upload> each = uploads.iterator(); each.hasNext();) {
            Upload upload = each.next();
            if (upload != underWay && upload.kind == kind && upload.lane.equals(lane)
                && upload.insiderId.equals(insiderId)) {
                each.remove();
            }
        }
    }

    /** Takes back all that waits of a user but for the wishes. */
    void withdrawAllButFollows(String insiderId) {
        for (Iterator<Upload> each = uploads.iterator(); each.hasNext();) {
            Upload upload = each.next();
            if (upload != underWay && upload.insiderId.equals(insiderId) && upload.kind != Kind.FOLLOW) each.remove();
        }
    }

    /**
     * The one that may be sent, and the first of those that have failed least: one that never gets through holds up what is of
     * its lane, and nothing else. Null when none may be sent at this moment.
     */
    Upload ready(Now now) {
        Upload ready = null;
        for (int index = 0; index < uploads.size(); index++) {
            Upload upload = uploads.get(index);
            boolean isBetter = ready == null || upload.failures < ready.failures;
            if (isBetter && upload.notBefore <= now.monotonic && isFirst(index)) ready = upload;
        }
        return ready;
    }

    /** When the next one may be sent, by the monotonic clock; {@link Long#MAX_VALUE} when none waits. */
    long readyAt() {
        long earliest = Long.MAX_VALUE;
        for (int index = 0; index < uploads.size(); index++) {
            if (isFirst(index)) earliest = Math.min(earliest, uploads.get(index).notBefore);
        }
        return earliest;
    }

    private boolean isFirst(int index) {
        for (int earlier = 0; earlier < index; earlier++) {
            if (uploads.get(index).waitsFor(uploads.get(earlier))) return false;
        }
        return true;
    }

    private void makeRoom() {
        int count = 0;
        Upload least = null;
        for (Upload upload : uploads) {
            if (!upload.kind.mayMakeWay()) continue;
            count++;
            if (upload != underWay && (least == null || upload.kind.compareTo(least.kind) > 0)) least = upload;
        }
        if (count <= capacity || least == null) return;
        uploads.remove(least);
        dropped++;
    }

    List<Object> toJson() {
        List<Object> json = new ArrayList<>();
        for (Upload upload : uploads) json.add(upload.toJson());
        return json;
    }

    void load(List<Map<String, Object>> json, Now now) {
        for (Map<String, Object> element : json) {
            Upload upload = Upload.fromJson(element, now);
            if (upload == null) continue;
            uploads.add(upload);
            nextId = Math.max(nextId, upload.id + 1);
        }
    }
}
