package fanfare.device;

/** Where the gateway is and how the library behaves. Immutable; made by {@link Builder}. */
public final class Settings {
    final String baseUrl;
    final String sdkKey;
    final String udid;
    final IdentitySigner signer;
    final DeviceListener listener;
    final Transport transport;
    final int queueCapacity;
    final int rememberedLiveActivities;
    final long reportAgainAfter;
    final long syncSpread;
    final long endedStays;
    final long longestLife;
    final boolean shownAgainByStart;

    private Settings(Builder builder) {
        baseUrl = builder.baseUrl;
        sdkKey = builder.sdkKey;
        udid = builder.udid;
        signer = builder.signer;
        listener = builder.listener;
        transport = builder.transport;
        queueCapacity = builder.queueCapacity;
        rememberedLiveActivities = builder.rememberedLiveActivities;
        reportAgainAfter = builder.reportAgainAfter;
        syncSpread = builder.syncSpread;
        endedStays = builder.endedStays;
        longestLife = builder.longestLife;
        shownAgainByStart = builder.shownAgainByStart;
    }

    /** Collects settings. Not for several threads. */
    public static final class Builder {
        private final String baseUrl;
        private final String sdkKey;
        private final String udid;
        private IdentitySigner signer;
        private DeviceListener listener = new DeviceListener();
        private Transport transport = new HttpTransport();
        private int queueCapacity = 200;
        private int rememberedLiveActivities = 200;
        private long reportAgainAfter = 86_400_000;
        private long syncSpread = 2_000;
        private long endedStays = 4 * 3_600_000;
        private long longestLife = 12 * 3_600_000;
        private boolean shownAgainByStart = true;

        /**
         * @param baseUrl the gateway, such as {@code https://push.example.com}; not null, {@code http} or {@code https}
         * @param sdkKey the tenant's SDK key; not null
         * @param udid what names this phone: an id that the app makes once and keeps, 1 to 250 bytes; not null
         * @throws IllegalArgumentException if one of them is none
         */
        public Builder(String baseUrl, String sdkKey, String udid) {
            if (baseUrl == null || !baseUrl.matches("https?://[^?#\\s]+")) {
                throw new IllegalArgumentException("baseUrl must begin with https:// (or http://)");
            }
            this.baseUrl = baseUrl.replaceAll("/+$", "");
            this.sdkKey = Names.require(sdkKey, 250, "sdkKey");
            this.udid = Names.require(udid, 250, "udid");
        }

        /** Who signs for the user, where the tenant demands signatures; null (the default) for nobody. */
        public Builder signer(IdentitySigner signer) {
            this.signer = signer;
            return this;
        }

        /** Who is told what became of uploads; not null. */
        public Builder listener(DeviceListener listener) {
            if (listener == null) throw new IllegalArgumentException("listener must not be null");
            this.listener = listener;
            return this;
        }

        /** What carries requests; not null. The default is {@link HttpTransport}. */
        public Builder transport(Transport transport) {
            if (transport == null) throw new IllegalArgumentException("transport must not be null");
            this.transport = transport;
            return this;
        }

        /**
         * How many reports of syncs, dismissals and taps may wait (200; 10 to 2,000). Of more the oldest of the least
         * important kind is dropped: taps first, then syncs, dismissals. The device, its token and wishes are never dropped,
         * nor is what is scheduled, of which there are 20 for an activity and 200 in all at most.
         */
        public Builder queueCapacity(int count) {
            queueCapacity = within(count, 10, 2_000, "queueCapacity");
            return this;
        }

        /** How many Live Activities are remembered, over ones included (200; 10 to 2,000). */
        public Builder rememberedLiveActivities(int count) {
            rememberedLiveActivities = within(count, 10, 2_000, "rememberedLiveActivities");
            return this;
        }

        /**
         * How old the last report of device and token may be when the app comes to the foreground, in milliseconds (a day; an
         * hour to 30 days). A gateway that has set a token aside takes it again when it is reported again.
         */
        public Builder reportAgainAfterMillis(long millis) {
            reportAgainAfter = within(millis, 3_600_000L, 30L * 86_400_000, "reportAgainAfterMillis");
            return this;
        }

        /**
         * Over how long a broadcast's phones spread their report that the Live Activity is there, in milliseconds (2,000; 0 to
         * 10,000). FCM lets an app work for some seconds only.
         */
        public Builder syncSpreadMillis(long millis) {
            syncSpread = within(millis, 0, 10_000, "syncSpreadMillis");
            return this;
        }

        /**
         * How long the final content stays when the end names no {@code dismissal_date}, in milliseconds (four hours, as on
         * iOS; 0 takes it away at once; at most a day).
         */
        public Builder endedStaysMillis(long millis) {
            endedStays = within(millis, 0, 86_400_000, "endedStaysMillis");
            return this;
        }

        /**
         * How long a Live Activity that a message started may be shown, in milliseconds (12 hours, as on iOS; an hour to seven
         * days): then its end must have been lost, and it leaves the screen.
         */
        public Builder longestLifeMillis(long millis) {
            longestLife = within(millis, 3_600_000L, 7L * 86_400_000, "longestLifeMillis");
            return this;
        }

        /**
         * Whether a start that is newer than the dismissal shows a Live Activity again (true): its user has followed the topic
         * anew, or the marketing system has restarted this very phone. With false it stays dismissed.
         */
        public Builder shownAgainByStart(boolean shown) {
            shownAgainByStart = shown;
            return this;
        }

        /** What was collected. */
        public Settings build() {
            return new Settings(this);
        }

        private static int within(int value, int least, int most, String name) {
            return (int) within((long) value, least, most, name);
        }

        private static long within(long value, long least, long most, String name) {
            if (value >= least && value <= most) return value;
            throw new IllegalArgumentException(name + " must be " + least + " to " + most);
        }
    }
}
