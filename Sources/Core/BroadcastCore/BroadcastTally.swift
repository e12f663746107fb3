/// The counts of one broadcast: every device addressed ends in exactly one of these numbers.
public struct BroadcastTally: Equatable, Sendable {
    /// Pushes that the provider answered with 200.
    public internal(set) var accepted = 0
    /// Pushes that failed for good, by the provider's reason or our own word for it.
    public internal(set) var failed: [String: Int] = [:]
    /// Devices that a newer broadcast took over.
    public internal(set) var superseded = 0

    public init() {}

    /// The failures that are not a reason of the provider's.
    public enum OwnReason: String, CaseIterable, Sendable {
        /// The push may have been delivered; nobody knows. Never sent again when it was a start.
        case unknown
        case noConnection = "NoConnection"
        case noAnswer = "NoAnswer"
        case refused = "Refused"
        case unsendable = "Unsendable"
        /// The content was no longer fresh when its turn came.
        case expired = "Expired"
        case storeUnavailable = "StoreUnavailable"
        /// The content was sealed under a signing key that no gateway has any more.
        case contentUnreadable = "ContentUnreadable"

        /// Whether it is so over every kind of route.
        public var isAboutContent: Bool { self == .expired || self == .contentUnreadable }
    }

    /// How many devices failed, for whatever reason.
    public var failures: Int { failed.values.reduce(0, +) }
}
