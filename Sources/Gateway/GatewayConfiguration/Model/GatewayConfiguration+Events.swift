public import Encodings

extension GatewayConfiguration {
    /// `events`: events and webhooks.
    public struct Events: Sendable, Equatable {
        /// `events.sealing_key_file`: the key for identity and webhook secrets. It has at least 32 bytes, and all
        /// gateways and commands need the same one. Without it, `serve` with a private redis-server creates a key in
        /// `redis.data_dir`.
        public var sealingKeyFile: String?
        /// `events.former_sealing_key_files`: replaced keys, which still open the secrets sealed with them.
        public var formerSealingKeyFiles: [String] = []
        /// `events.stream_length`: the approximate number of events in each of a tenant's two streams.
        public var streamLength = 10_000
        /// `events.max_webhooks`: the maximum number of webhooks for each tenant.
        public var maxWebhooks = 10
        /// `events.max_pending`: the maximum number of events waiting for one webhook.
        public var maxPending = 10_000
        /// `events.max_dead_letters`: the maximum number of dead letters for each webhook.
        public var maxDeadLetters = 10_000
        /// `events.dead_letter_lifetime`: the time for which dead letters are kept.
        public var deadLetterLifetime = Duration.seconds(30 * 86_400)
        /// `events.receiver_timeout`: the time limit of a delivery.
        public var receiverTimeout = Duration.seconds(15)
        /// `events.ca_file`: a PEM file of roots to trust for receivers, in addition to the system's.
        public var caFile: String?
        /// `events.allow_private_receivers`: true if receivers may have private, loopback and other special addresses.
        public var allowsPrivateReceivers = false
        /// `events.allowed_receivers`: the permitted special addresses and CIDR blocks.
        public var allowedReceivers: [String] = []
        /// `events.allow_plain_http`: true if the URL of a receiver may start with `http://`.
        public var allowsPlainHTTP = false

        public init() {}

        /// The parsed blocks of `allowed_receivers`.
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
