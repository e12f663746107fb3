extension GatewayConfiguration {
    /// The broadcast channels at APNs of the default app (`apns`) or of another one (`apps.<name>`).
    public struct BroadcastChannels: Sendable, Equatable {
        /// `apns.broadcast_capability`: true if the app has Apple's capability for broadcast push notifications.
        public var isEnabled = false
        /// `apns.channel_management_url`: the URL for creating and deleting channels.
        public var managementURL = "https://api-manage-broadcast.push.apple.com:2196"
        /// `apns.sandbox_channel_management_url`: that URL for devices whose `environment` is `sandbox`.
        public var sandboxManagementURL = "https://api-manage-broadcast.sandbox.push.apple.com:2195"
        /// `apns.broadcast_url`: the URL for pushes to channels; nil for `apns.url`.
        public var broadcastURL: String?
        /// `apns.sandbox_broadcast_url`: the URL for pushes to sandbox channels; nil for `apns.sandbox_url`.
        public var sandboxBroadcastURL: String?
        /// `apns.channel_threshold`: the number of devices from which an activity gets a channel without requiring one.
        public var threshold = 100
        /// `apns.channel_pool`: the number of channels created in advance for each environment.
        public var pool = 2
        /// `apns.channel_grace`: the time between the end of an activity and the deletion of its channel.
        public var grace = Duration.seconds(3600)
        /// `apns.channels_exclusive`: true if no other system creates the app's channels, so that unknown ones are
        /// deleted.
        public var isExclusive = false

        public init() {}

        /// The names of the keys.
        static let fields = [
            "broadcast_capability", "channel_management_url", "sandbox_channel_management_url", "broadcast_url",
            "sandbox_broadcast_url", "channel_threshold", "channel_pool", "channel_grace", "channels_exclusive",
        ]

        /// Reads the keys that each app may set.
        mutating func read(_ settings: inout SettingsReader, under key: String) {
            settings.read("\(key).broadcast_capability", .flag, into: &isEnabled)
            settings.read("\(key).channel_management_url", .httpsURL, into: &managementURL)
            settings.read("\(key).sandbox_channel_management_url", .httpsURL, into: &sandboxManagementURL)
            readURL("\(key).broadcast_url", &settings, into: &broadcastURL)
            readURL("\(key).sandbox_broadcast_url", &settings, into: &sandboxBroadcastURL)
            settings.read(
                "\(key).channel_threshold", .integer("a number of devices", in: 1...10_000_000), into: &threshold)
            settings.read("\(key).channel_pool", .integer("a number of channels", in: 0...100), into: &pool)
            settings.read("\(key).channel_grace", .duration(in: .zero...(.seconds(86_400))), into: &grace)
            settings.read("\(key).channels_exclusive", .flag, into: &isExclusive)
        }

        /// Keeps the present value if the key is not set.
        private func readURL(_ key: String, _ settings: inout SettingsReader, into url: inout String?) {
            var own: String?
            settings.read(key, .httpsURL, into: &own)
            url = own ?? url
        }

        /// The defaults of another app. Capability and exclusive channels are not inherited, because Apple grants them
        /// to each app.
        var ofAnotherApp: BroadcastChannels {
            var other = self
            other.isEnabled = false
            other.isExclusive = false
            return other
        }
    }
}
