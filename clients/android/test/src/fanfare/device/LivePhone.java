package fanfare.device;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A phone with the whole library, threads and disk included, on a gateway that runs; its network can be made to fail. */
final class LivePhone implements AutoCloseable {
    private final Random random;
    private final File folder;
    private final Transport http = new HttpTransport();
    private final Settings settings;
    final String user;
    final String udid;
    final Screenshot screen = new Screenshot();
    final List<TapAttribution> taps = new ArrayList<>();
    final List<Refusal> refusals = new ArrayList<>();
    FanfareDevice device;
    /** Of a hundred requests so many fail in one way or another. */
    volatile int troubled;
    volatile int requests;
    private int delivered;
    String token;

    LivePhone(Customer customer, String user, long seed) throws IOException {
        this(customer.url, customer.sdkKey, user, seed, (name, phone) ->
            customer.sign(name, phone, System.currentTimeMillis() / 1_000 + 3_600));
    }

    LivePhone(String url, String sdkKey, String user, long seed, IdentitySigner signer) throws IOException {
        this.user = user;
        random = new Random(seed);
        udid = "phone-" + user;
        folder = Folders.make("fanfare-phone");
        settings = new Settings.Builder(url, sdkKey, udid).syncSpreadMillis(0).transport(this::carry).signer(signer)
            .listener(new DeviceListener() {
                @Override
                public void onTapAttributed(TapAttribution attribution) {
                    taps.add(attribution);
                }

                @Override
                public void onRefused(Refusal refusal) {
                    refusals.add(refusal);
                }
            }).build();
        launch();
    }

    private void launch() {
        device = new FanfareDevice(settings, folder, screen, new FastClock(), new Random(random.nextLong()));
    }

    /** The process dies and the app is started again. */
    void relaunch() {
        device.close();
        launch();
        device.restore();
    }

    void login() {
        device.login(user, Walk.facts(true, 0));
        rotate();
    }

    void rotate() {
        token = "token-" + udid + "-" + Long.toHexString(random.nextLong()) + "-0123456789abcdef";
        device.onNewToken(token);
    }

    private Reply carry(Request request) throws IOException {
        requests++;
        int fate;
        synchronized (random) {
            fate = random.nextInt(100);
        }
        if (fate < troubled) {
            switch (fate % 5) {
                case 0:
                    throw new IOException("no network");
                case 1:
                    http.send(request);
                    throw new IOException("the answer is lost");
                case 2:
                    return new Reply(503, 1, "{\"error\":\"\",\"code\":\"OVERLOADED\"}");
                case 3:
                    return new Reply(429, 1, "{\"error\":\"\",\"code\":\"RATE_LIMITED\"}");
                default:
                    http.send(request);
                    return new Reply(500, -1, "{\"error\":\"\",\"code\":\"INTERNAL\"}");
            }
        }
        return http.send(request);
    }

    void flush() throws InterruptedException {
        Check.eventuallyFlushed(device);
    }

    /** Hands over what FCM has for the newest token, from where it was left. */
    List<Handled> receive(Ledger ledger) throws Exception {
        List<Handled> handled = new ArrayList<>();
        List<Map<String, String>> messages = ledger.of(token);
        while (delivered < messages.size()) handled.add(device.handleMessage(messages.get(delivered++)));
        return handled;
    }

    /** The next message, when it has come. */
    Handled next(Ledger ledger) throws Exception {
        Check.eventually("a message for " + udid, () -> ledger.of(token).size() > delivered);
        return device.handleMessage(ledger.of(token).get(delivered++));
    }

    @Override
    public void close() {
        device.close();
    }
}
