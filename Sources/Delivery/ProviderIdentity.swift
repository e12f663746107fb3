/// Which provider pushes go to, and with whose credential: what gateways tell each other apart by, and people in log and
/// metrics.
public struct ProviderIdentity: Hashable, Sendable {
    /// One part of the credential's public name.
    public struct Label: Hashable, Sendable {
        /// A word for log and metrics, such as `team`.
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The credential's public name, in parts. Never anything secret.
    public let labels: [Label]
    /// Host and port.
    public let authority: String

    public init(labels: [Label], authority: String) {
        self.labels = labels
        self.authority = authority
    }

    /// The value of a label; nil when there is none of that name.
    public subscript(name: String) -> String? { labels.first { $0.name == name }?.value }

    /// The credential's public name in one word: the values, with a colon between.
    public var account: String { labels.map(\.value).joined(separator: ":") }
}
