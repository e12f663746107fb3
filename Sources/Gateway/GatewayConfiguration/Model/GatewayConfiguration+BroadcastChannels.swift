extension GatewayConfiguration {
    /// An app's broadcast channels at APNs: of the default app (`apns`), or of another one (`apps.<name>`).
    public struct BroadcastChannels: Sendable, Equatable {
        /// `apns.broadcast_capability`: whether the app has Apple's capability for broadcast push notifications.
        public var isEnabled = false
        /// `apns.channel_management_url`: where channels are made and deleted.
        public var managementURL = "https://api-manage-broadcast.push.apple.com:2196"
        /// `apns.sandbox_channel_management_url`: likewise, for devices whose `environment` is `sandbox`.
        public var sandboxManagementURL = "https://api-manage-broadcast.sandbox.push.apple.com:2195"
        /// `apns.broadcast_url`: where pushes to channels go; nil for where all others go.
        public var broadcastURL: String?
        /// `apns.sandbox_broadcast_url`: likewise, of the sandbox.
        public var sandboxBroadcastURL: String?
        /// `apns.channel_threshold`: from how many devices on an activity has a channel that is not required.
        public var threshold = 100
        /// `apns.channel_pool`: how many channels are made ahead, for each environment.
        public var pool = 2
        /// `apns.channel_grace`: how long after an activity's end its channel is deleted.
        public var grace = Duration.seconds(3600)
        /// `apns.channels_exclusive`: whether nobody else makes channels for the app, so that unknown ones are deleted.
        public var isExclusive = false

        public init() {}

        /// The names of the keys.
        static let fields = [
            "broadcast_capability", "channel_management_url", "sandbox_channel_management_url", "broadcast_url",
            "sandbox_broadcast_url", "channel_threshold", "channel_pool", "channel_grace", "channels_exclusive",
        ]

        /// Reads what each app may have of its own.
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

        /// What is there already stays when none is given.
        private func readURL(_ key: String, _ settings: inout SettingsReader, into url: inout String?) {
            var own: String?
            settings.read(key, .httpsURL, into: &own)
            url = own ?? url
        }

        /// What another app has that says nothing of its own: the same places and numbers, and neither capability nor
        /// exclusive channels, which Apple gives to each app.
        var ofAnotherApp: BroadcastChannels {
            var other = self
            other.isEnabled = false
            other.isExclusive = false
            return other
        }
    }
}
