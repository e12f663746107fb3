package fanfare.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Seeded lives of phones with a network that fails and processes that die, against a gateway that runs. */
final class GatewayWalks {
    private static final int TOPICS = 4;
    private static final int STEPS = 25;

    private final Stack stack;
    private final Customer customer;
    private final Random random;
    private final List<LivePhone> phones = new ArrayList<>();
    private final Map<LivePhone, boolean[]> wishes = new HashMap<>();

    private GatewayWalks(Stack stack, Customer customer, long seed) {
        this.stack = stack;
        this.customer = customer;
        random = new Random(seed);
    }

    static void add(Suite suite, Stack stack, Customer customer, long seed, int lives) {
        suite.add(lives + " lives against the gateway: newest tokens and wishes are known, the screens are right", () -> {
            GatewayWalks walks = new GatewayWalks(stack, customer, seed);
            try {
                walks.run(seed, lives);
            } finally {
                for (LivePhone phone : walks.phones) phone.close();
            }
        });
    }

    private void run(long seed, int lives) throws Exception {
        for (int topic = 0; topic < TOPICS; topic++) customer.topic("walk" + topic, "upcoming", null);
        for (int life = 0; life < lives; life++) {
            LivePhone phone = new LivePhone(customer, "walker" + life, seed + life);
            phones.add(phone);
            wishes.put(phone, new boolean[TOPICS]);
        }
        inParallel(phone -> walk(phone, new Random(seed * 31 + phone.user.hashCode())));
        // All is told now. Each topic's start must reach exactly those who follow, at their newest token.
        for (int topic = 0; topic < TOPICS; topic++) {
            String texts = "{\"title\":\"T" + topic + "\",\"message\":\"\",\"c";
            customer.topic("walk" + topic, "live", content(0).replace("{\"c", texts));
        }
        Check.eventually("the starts", () -> {
            for (LivePhone phone : phones) {
                if (stack.ledger.of(phone.token).size() < follows(phone)) return false;
            }
            return true;
        });
        Thread.sleep(500);
        for (LivePhone phone : phones) {
            Check.equal(follows(phone), stack.ledger.of(phone.token).size(), "starts for " + phone.user);
        }
        inParallel(phone -> {
            phone.receive(stack.ledger);
            phone.relaunch();
            phone.flush();
            Check.equal(follows(phone), phone.device.shown().size(), "shown by " + phone.user);
        });
        updates();
        ends();
    }

    private int follows(LivePhone phone) {
        int count = 0;
        for (boolean wish : wishes.get(phone)) count += wish ? 1 : 0;
        return count;
    }

    private static String content(int number) {
        return "{\"content_state\":{\"n\":" + number + "}}";
    }

    private interface Part {
        void run(LivePhone phone) throws Exception;
    }

    private void inParallel(Part part) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> futures = new ArrayList<>();
            for (LivePhone phone : phones) {
                futures.add(pool.submit(() -> {
                    part.run(phone);
                    return null;
                }));
            }
            for (Future<?> future : futures) future.get();
        } finally {
            pool.shutdownNow();
        }
    }

    private void walk(LivePhone phone, Random dice) throws Exception {
        phone.troubled = dice.nextInt(60);
        phone.login();
        boolean isIn = true;
        for (int step = 0; step < STEPS; step++) {
            switch (dice.nextInt(8)) {
                case 0:
                    for (int count = dice.nextInt(4); count >= 0; count--) phone.rotate();
                    break;
                case 1:
                case 2:
                case 3:
                    if (!isIn) break;
                    int topic = dice.nextInt(TOPICS);
                    boolean wish = dice.nextBoolean();
                    wishes.get(phone)[topic] = wish;
                    if (wish) phone.device.follow("walk" + topic);
                    else phone.device.unfollow("walk" + topic);
                    break;
                case 4:
                    phone.relaunch();
                    break;
                case 5:
                    phone.device.describe(Walk.facts(true, dice.nextInt(3)));
                    break;
                case 6:
                    if (dice.nextInt(3) > 0) break;
                    if (isIn) phone.device.logout();
                    else phone.device.login(phone.user, Walk.facts(true, 1));
                    isIn = !isIn;
                    break;
                default:
                    Thread.sleep(dice.nextInt(12));
                    break;
            }
            if (dice.nextInt(8) == 0) phone.troubled = dice.nextInt(100);
        }
        phone.troubled = 0;
        phone.device.login(phone.user, Walk.facts(true, 1));
        phone.device.retryNow();
        phone.flush();
        List<Map<String, Object>> devices = customer.devices(phone.user);
        Check.equal(1, devices.size(), "devices of " + phone.user);
        List<String> followed = new ArrayList<>();
        for (int topic = 0; topic < TOPICS; topic++) {
            if (wishes.get(phone)[topic]) followed.add("walk" + topic);
        }
        List<String> said = new ArrayList<>(phone.device.followed());
        Collections.sort(said);
        Check.equal(followed, said, "what the phone of " + phone.user + " says is followed");
    }

    /** Three updates, which come in any order, some twice, some never; some phones have dismissed what they show. */
    private void updates() throws Exception {
        Map<LivePhone, List<String>> dismissed = new HashMap<>();
        for (LivePhone phone : phones) {
            dismissed.put(phone, new ArrayList<>());
            for (LiveActivity shown : phone.device.shown()) {
                if (random.nextInt(4) > 0) continue;
                phone.screen.remove(shown);
                phone.device.onDismissed(shown.key());
                dismissed.get(phone).add(shown.key());
            }
        }
        Map<LivePhone, Integer> before = new HashMap<>();
        for (LivePhone phone : phones) before.put(phone, stack.ledger.of(phone.token).size());
        for (int number = 1; number <= 3; number++) {
            for (int topic = 0; topic < TOPICS; topic++) customer.topic("walk" + topic, "live", content(number));
            Thread.sleep(1_100);
        }
        untilNothingComes();
        inParallel(phone -> {
            List<Map<String, String>> all = stack.ledger.of(phone.token);
            List<Map<String, String>> come = new ArrayList<>(all.subList(before.get(phone), all.size()));
            Map<String, String> newest = new HashMap<>();
            Map<String, Long> times = new HashMap<>();
            Random dice = new Random(phone.user.hashCode());
            come.removeIf(message -> dice.nextInt(5) == 0);
            come.addAll(new ArrayList<>(come.subList(0, come.size() / 2)));
            Collections.shuffle(come, dice);
            for (Map<String, String> message : come) {
                String id = message.get("live_activity_id");
                long time = Long.parseLong(message.get("live_activity_timestamp"));
                if (time > times.getOrDefault(id, 0L)) {
                    times.put(id, time);
                    newest.put(id, message.get("content_state"));
                }
                phone.device.handleMessage(message);
            }
            for (LiveActivity shown : phone.device.shown()) {
                String expected = newest.getOrDefault(shown.key(), "{\"n\":0}");
                Check.equal(expected, shown.contentState(), "what " + phone.user + " shows");
                Check.equal(shown.contentState(), phone.screen.of(shown.key()).contentState(), "what is on the screen");
            }
            Check.equal(follows(phone) - dismissed.get(phone).size(), phone.screen.count(), "shown by " + phone.user);
            for (String key : dismissed.get(phone)) Check.that(phone.screen.of(key) == null, "a dismissed one is back");
            phone.flush();
        });
    }

    private void ends() throws Exception {
        for (int topic = 0; topic < TOPICS; topic++) customer.topic("walk" + topic, "ended", null);
        Check.eventually("empty screens", () -> {
            for (LivePhone phone : phones) {
                List<Map<String, String>> all = stack.ledger.of(phone.token);
                for (Map<String, String> message : all) phone.device.handleMessage(message);
                if (!phone.device.shown().isEmpty()) return false;
            }
            return true;
        });
    }

    /** Waits until no message has come for a second and a half. */
    private void untilNothingComes() throws Exception {
        int[] last = {-1};
        long[] since = {0};
        Check.eventually("the last message", () -> {
            int count = 0;
            for (LivePhone phone : phones) count += stack.ledger.of(phone.token).size();
            if (count != last[0]) {
                last[0] = count;
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] > 1_500_000_000L;
        });
    }
}
