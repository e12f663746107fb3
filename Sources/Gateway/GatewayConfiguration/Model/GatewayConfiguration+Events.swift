public import Encodings

extension GatewayConfiguration {
    /// Events and webhooks.
    public struct Events: Sendable, Equatable {
        /// `events.sealing_key_file`: what identity secrets and those of webhooks are sealed with; at least 32 bytes,
        /// the same for all gateways and commands.
        /// Without it, and with a private redis-server, `serve` makes one in `redis.data_dir`.
        public var sealingKeyFile: String?
        /// `events.former_sealing_key_files`: keys that it has replaced; what they sealed opens still.
        public var formerSealingKeyFiles: [String] = []
        /// `events.stream_length`: how many events a tenant's stream keeps, about.
        public var streamLength = 10_000
        /// `events.max_webhooks`: of one tenant.
        public var maxWebhooks = 10
        /// `events.max_pending`: events that wait for one webhook.
        public var maxPending = 10_000
        /// `events.max_dead_letters`: events that were given up, for each webhook.
        public var maxDeadLetters = 10_000
        /// `events.dead_letter_lifetime`: how long these are kept.
        public var deadLetterLifetime = Duration.seconds(30 * 86_400)
        /// `events.receiver_timeout`: how long a receiver may take to answer.
        public var receiverTimeout = Duration.seconds(15)
        /// `events.ca_file`: certificates (PEM) that receivers' are checked against, beside the system's.
        public var caFile: String?
        /// `events.allow_private_receivers`: whether events may be sent to private, loopback and other special
        /// addresses.
        public var allowsPrivateReceivers = false
        /// `events.allowed_receivers`: blocks of such addresses that are fine.
        public var allowedReceivers: [String] = []
        /// `events.allow_plain_http`: whether receivers may be reached without TLS.
        public var allowsPlainHTTP = false

        public init() {}

        /// `allowed_receivers`, taken apart.
        public var allowedBlocks: [AddressBlock] { allowedReceivers.compactMap { AddressBlock($0) } }

        mutating func read(_ settings: inout SettingsReader) {
            settings.read("events.sealing_key_file", .path, into: &sealingKeyFile)
            formerSealingKeyFiles = settings.readPaths("events.former_sealing_key_files")
            settings.read(
                "events.stream_length", .integer("a number of events", in: 100...1_000_000), into: &streamLength)
            settings.read("events.max_webhooks", .integer("a number of webhooks", in: 1...100), into: &maxWebhooks)
            settings.read(
                "events.max_pending", .integer("a number of events", in: 100...1_000_000), into: &maxPending)
            settings.read(
                "events.max_dead_letters", .integer("a number of events", in: 100...1_000_000), into: &maxDeadLetters)
            settings.read(
                "events.dead_letter_lifetime", .duration(in: .seconds(3600)...(.seconds(90 * 86_400))),
                into: &deadLetterLifetime)
            settings.read(
                "events.receiver_timeout", .duration(in: .seconds(1)...(.seconds(60))), into: &receiverTimeout)
            settings.read("events.ca_file", .path, into: &caFile)
            settings.read(
                "events.allow_private_receivers", .flag, into: &allowsPrivateReceivers)
            settings.read("events.allow_plain_http", .flag, into: &allowsPlainHTTP)
            allowedReceivers = settings.readBlocks("events.allowed_receivers")
        }
    }
}
