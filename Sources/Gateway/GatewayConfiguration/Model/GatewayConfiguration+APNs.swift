public import Encodings

extension GatewayConfiguration {
    /// The connection to Apple's push service, and the default app.
    public struct APNs: Sendable, Equatable {
        /// `apns.url`: `https://` with a host and an optional port, without a trailing slash.
        public var url = "https://api.push.apple.com"
        /// `apns.sandbox_url`: the URL for devices whose `environment` is `sandbox`, in the form of `url`.
        public var sandboxURL = "https://api.sandbox.push.apple.com"
        /// `apns.ca_file`: a PEM file of roots to trust instead of the system's.
        public var caFile: String?
        /// `apns.proxy`: an HTTP proxy for APNs and its sandbox. May contain a password.
        public var proxy: ProxyURL?
        /// `apns.ping_interval`: the time without received data after which the gateway sends a PING.
        public var pingInterval = Duration.seconds(60)
        /// `apns.idle_timeout`: the time without sent data after which a connection is closed.
        public var idleTimeout = Limit.off
        /// `apns.key_file`: the default app's signing key (a PEM `.p8` file).
        public var keyFile: String?
        /// `apns.former_key_files`: the default app's replaced signing keys, which open content that waits in Redis.
        public var formerKeyFiles: [String] = []
        /// `apns.key_id`.
        public var keyID: String?
        /// `apns.team_id`.
        public var teamID: String?
        /// `apns.bundle_id`.
        public var bundleID: String?
        /// `apns.connections`: the maximum number of connections for each credential, opened as load requires.
        public var connections = 8
        /// `apns.push_timeout`: the time limit for the answer to a push.
        public var pushTimeout = Duration.seconds(15)
        /// The default app's broadcast channels.
        public var channels = BroadcastChannels()

        public init() {}

        /// The default app's credentials; nil unless all four values are set.
        public var credentials: Credentials? {
            guard let keyFile, let keyID, let teamID, let bundleID else { return nil }
            return Credentials(
                keyFile: keyFile, formerKeyFiles: formerKeyFiles, keyID: keyID, teamID: teamID, bundleID: bundleID)
        }
    }

    /// The credentials that sign the pushes of one app.
    public struct Credentials: Sendable, Equatable {
        /// The path of the signing key (PEM).
        public var keyFile: String
        /// The paths of replaced signing keys.
        public var formerKeyFiles: [String]
        /// The key id: ten characters.
        public var keyID: String
        /// The team id: ten characters.
        public var teamID: String
        /// The app's bundle identifier.
        public var bundleID: String

        public init(
            keyFile: String, formerKeyFiles: [String] = [], keyID: String, teamID: String, bundleID: String
        ) {
            self.keyFile = keyFile
            self.formerKeyFiles = formerKeyFiles
            self.keyID = keyID
            self.teamID = teamID
            self.bundleID = bundleID
        }
    }

    /// An app other than the default one: `apps.<name>`.
    public struct App: Sendable, Equatable {
        /// The name, in lower-case letters, digits and `_`.
        public var name: String
        /// `apps.<name>.tenants`: the ids of the app's tenants. Never empty; a tenant belongs to one app at most.
        public var tenants: [String]
        /// `apps.<name>.key_file`, `.former_key_files`, `.key_id`, `.team_id`, `.bundle_id`.
        public var credentials: Credentials
        /// `apps.<name>.fcm`: keys default to the default app's, except the service account.
        public var fcm: FCM
        /// `apps.<name>.broadcast_capability` and so on: keys default to the default app's. The exceptions are
        /// `broadcast_capability` and `channels_exclusive`, which default to false.
        public var channels: BroadcastChannels

        public init(
            name: String, tenants: [String], credentials: Credentials, fcm: FCM = FCM(),
            channels: BroadcastChannels = BroadcastChannels()
        ) {
            self.name = name
            self.tenants = tenants
            self.credentials = credentials
            self.fcm = fcm
            self.channels = channels
        }
    }
}
