public import Encodings

extension GatewayConfiguration {
    /// The connection to Apple's push service, and the default app.
    public struct APNs: Sendable, Equatable {
        /// `apns.url`: `https://` with a host and perhaps a port, without a slash at the end.
        public var url = "https://api.push.apple.com"
        /// `apns.sandbox_url`: likewise, for devices whose `environment` is `sandbox`.
        public var sandboxURL = "https://api.sandbox.push.apple.com"
        /// `apns.ca_file`: certificates (PEM) to trust in place of the system's.
        public var caFile: String?
        /// `apns.proxy`: an HTTP proxy through which APNs and its sandbox are reached. May hold a password.
        public var proxy: ProxyURL?
        /// `apns.ping_interval`: a connection from which nothing came for this long is asked with a PING.
        public var pingInterval = Duration.seconds(60)
        /// `apns.idle_timeout`: a connection on which nothing was sent for this long is closed.
        public var idleTimeout = Limit.off
        /// `apns.key_file`: the default app's signing key (PEM, a `.p8` file).
        public var keyFile: String?
        /// `apns.former_key_files`: signing keys that the default app had before; they open what waits in Redis since.
        public var formerKeyFiles: [String] = []
        /// `apns.key_id`.
        public var keyID: String?
        /// `apns.team_id`.
        public var teamID: String?
        /// `apns.bundle_id`.
        public var bundleID: String?
        /// `apns.connections`: the most connections for each credential; fewer are opened when the load is small.
        public var connections = 8
        /// `apns.push_timeout`: how long a push may wait for its answer.
        public var pushTimeout = Duration.seconds(15)
        /// The default app's broadcast channels.
        public var channels = BroadcastChannels()

        public init() {}

        /// The default app's credentials, when all four values are there.
        public var credentials: Credentials? {
            guard let keyFile, let keyID, let teamID, let bundleID else { return nil }
            return Credentials(
                keyFile: keyFile, formerKeyFiles: formerKeyFiles, keyID: keyID, teamID: teamID, bundleID: bundleID)
        }
    }

    /// What pushes of one app are signed with.
    public struct Credentials: Sendable, Equatable {
        /// The path of the signing key (PEM).
        public var keyFile: String
        /// The paths of those that it replaces.
        public var formerKeyFiles: [String]
        /// The key's identifier: ten characters.
        public var keyID: String
        /// The team's identifier: ten characters.
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

    /// An app beside the default one: `apps.<name>`.
    public struct App: Sendable, Equatable {
        /// Lower-case letters, digits and `_`.
        public var name: String
        /// `apps.<name>.tenants`: the ids of the tenants whose activities are this app's. Never empty; a tenant
        /// belongs to one app at most.
        public var tenants: [String]
        /// `apps.<name>.key_file`, `.former_key_files`, `.key_id`, `.team_id`, `.bundle_id`.
        public var credentials: Credentials
        /// `apps.<name>.fcm`: what it does not say of its own, but for the service account, is as the default app's is.
        public var fcm: FCM
        /// `apps.<name>.broadcast_capability` and so on: what it does not say of its own is as the default app's is,
        /// but for the capability, and for whether its channels are exclusive.
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
