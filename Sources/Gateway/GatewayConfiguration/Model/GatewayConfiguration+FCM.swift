public import Encodings

extension GatewayConfiguration {
    /// Firebase Cloud Messaging, by which Android devices are reached: of the default app (`fcm`), or of another one
    /// (`apps.<name>.fcm`).
    public struct FCM: Sendable, Equatable {
        /// `fcm.service_account_file`: the JSON file of a service account's key. Nil: the app has no way to Android.
        public var serviceAccountFile: String?
        /// `fcm.url`: `https://` with a host and perhaps a port, without a slash at the end.
        public var url = "https://fcm.googleapis.com"
        /// `fcm.token_url`: where access tokens are given out; nil for what the service account's file says.
        public var tokenURL: String?
        /// `fcm.ca_file`: certificates (PEM) to trust in place of the system's.
        public var caFile: String?
        /// `fcm.messages_per_minute`: the project's quota, of all gateways together.
        public var messagesPerMinute = 600_000
        /// `fcm.ramp_up`: how long the rate grows after a rest.
        public var rampUp = Duration.seconds(60)
        /// `fcm.collapse_updates`: whether an update without an alert takes the place of one that still waits for the
        /// phone.
        public var collapsesUpdates = false
        /// `fcm.proxy`: an HTTP proxy through which FCM and the token endpoint are reached. May hold a password.
        public var proxy: ProxyURL?
        /// `fcm.connections`: the most connections for each project.
        public var connections = 8
        /// `fcm.ping_interval`: a connection from which nothing came for this long is asked with a PING.
        public var pingInterval = Duration.seconds(60)
        /// `fcm.idle_timeout`: a connection on which nothing was sent for this long is closed.
        public var idleTimeout = Limit.after(.seconds(240))
        /// `fcm.push_timeout`: how long a message may wait for its answer.
        public var pushTimeout = Duration.seconds(15)

        public init() {}

        /// Reads what each app may have of its own.
        mutating func read(_ settings: inout SettingsReader, under key: String) {
            settings.read("\(key).service_account_file", .path, into: &serviceAccountFile)
            settings.read("\(key).url", .httpsURL, into: &url)
            settings.read("\(key).token_url", .httpsEndpoint, into: &tokenURL)
            settings.read("\(key).ca_file", .path, into: &caFile)
            settings.read(
                "\(key).messages_per_minute", .integer("a number of messages", in: 60...1_000_000_000),
                into: &messagesPerMinute)
        }

        /// Reads what all apps have in common.
        mutating func readCommon(_ settings: inout SettingsReader) {
            settings.read("fcm.ramp_up", .duration(in: .zero...(.seconds(3600))), into: &rampUp)
            settings.read("fcm.collapse_updates", .flag, into: &collapsesUpdates)
            settings.read("fcm.proxy", .proxyURL, into: &proxy)
            settings.read("fcm.connections", .integer("a number of connections", in: 1...256), into: &connections)
            settings.read("fcm.ping_interval", .duration(in: .seconds(1)...(.seconds(3600))), into: &pingInterval)
            settings.read("fcm.idle_timeout", .limit(in: .seconds(1)...(.seconds(86_400))), into: &idleTimeout)
            settings.read(
                "fcm.push_timeout", .duration(in: .milliseconds(100)...(.seconds(300))), into: &pushTimeout)
        }
    }
}
