package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the user follows: as wished, and as far as the gateway is known to know. */
final class Follows {
    /** As many as a user may follow. */
    static final int MOST = 1_000;

    private static final class Wish {
        boolean isWanted;
        /** What the gateway was last heard to know. */
        boolean isKnown;
    }

    private final Map<String, Wish> wishes = new LinkedHashMap<>();

    /** Whether there is room for one more. */
    boolean hasRoomFor(String topic) {
        return wishes.containsKey(topic) || wishes.size() < MOST;
    }

    void wish(String topic, boolean isWanted) {
        Wish wish = wishes.get(topic);
        if (wish == null) {
            wish = new Wish();
            wishes.put(topic, wish);
        }
        wish.isWanted = isWanted;
    }

    boolean isWanted(String topic) {
        Wish wish = wishes.get(topic);
        return wish != null && wish.isWanted;
    }

    boolean isKnown(String topic) {
        Wish wish = wishes.get(topic);
        return wish != null && wish.isKnown;
    }

    /** The gateway has taken a wish. */
    void taken(String topic, boolean isFollowed) {
        Wish wish = wishes.get(topic);
        if (wish == null) return;
        wish.isKnown = isFollowed;
        forgetIfOff(topic, wish);
    }

    /** The gateway will not have it. */
    void refused(String topic) {
        wishes.remove(topic);
    }

    private void forgetIfOff(String topic, Wish wish) {
        if (!wish.isWanted && !wish.isKnown) wishes.remove(topic);
    }

    /**
     * The gateway's list; topics with a wish that it cannot know yet are left as they are. Whether anything changed.
     */
    boolean replace(List<String> followed, List<String> pending) {
        boolean changed = false;
        for (String topic : followed) {
            if (pending.contains(topic) || !hasRoomFor(topic)) continue;
            changed |= !isWanted(topic) || !isKnown(topic);
            wish(topic, true);
            taken(topic, true);
        }
        for (String topic : new ArrayList<>(wishes.keySet())) {
            if (pending.contains(topic) || followed.contains(topic)) continue;
            wishes.remove(topic);
            changed = true;
        }
        return changed;
    }

    List<String> wanted() {
        List<String> topics = new ArrayList<>();
        for (Map.Entry<String, Wish> wish : wishes.entrySet()) {
            if (wish.getValue().isWanted) topics.add(wish.getKey());
        }
        return topics;
    }

    void clear() {
        wishes.clear();
    }

    List<Object> toJson() {
        List<Object> json = new ArrayList<>();
        for (Map.Entry<String, Wish> wish : wishes.entrySet()) {
            Map<String, Object> element = new LinkedHashMap<>();
            element.put("topic", wish.getKey());
            element.put("wanted", wish.getValue().isWanted);
            element.put("known", wish.getValue().isKnown);
            json.add(element);
        }
        return json;
    }

    void load(List<Map<String, Object>> json) {
        for (Map<String, Object> element : json) {
            String topic = Json.string(element, "topic");
            if (topic == null) continue;
            Wish wish = new Wish();
            wish.isWanted = Json.flag(element, "wanted");
            wish.isKnown = Json.flag(element, "known");
            wishes.put(topic, wish);
        }
    }
}
