/// The counts of a broadcast. Each addressed device is counted in exactly one of them.
public struct BroadcastTally: Equatable, Sendable {
    /// Pushes that the provider answered with 200.
    public internal(set) var accepted = 0
    /// Pushes that failed finally, by the provider's reason or an `OwnReason`.
    public internal(set) var failed: [String: Int] = [:]
    /// Devices that a newer broadcast has taken over.
    public internal(set) var superseded = 0

    public init() {}

    /// The reasons of failures that do not come from the provider.
    public enum OwnReason: String, CaseIterable, Sendable {
        /// The push may have been delivered. A start is then never sent again.
        case unknown
        case noConnection = "NoConnection"
        case noAnswer = "NoAnswer"
        case refused = "Refused"
        case unsendable = "Unsendable"
        /// The content was stale before the push could be sent.
        case expired = "Expired"
        case storeUnavailable = "StoreUnavailable"
        /// No gateway has the signing key under which the content was sealed.
        case contentUnreadable = "ContentUnreadable"

        /// True if the reason applies to all kinds of route.
        public var isAboutContent: Bool { self == .expired || self == .contentUnreadable }
    }

    /// The number of failed devices, for all reasons.
    public var failures: Int { failed.values.reduce(0, +) }
}
