import LiveActivity
public import TimeCore

/// What a mock of a feed says, and when.
public struct MockFeedScript: Sendable {
    /// What is said from a time on.
    public struct Step: Sendable {
        /// Since the script is in force.
        public var after: TimeInterval
        /// The array of topics, as JSON; it is passed on byte for byte.
        public var topics: [UInt8]

        /// - Parameter topics: JSON: an array.
        public init(after: TimeInterval = .zero, topics: [UInt8]) {
            self.after = after
            self.topics = topics
        }
    }

    /// In order of time. Before the first one no topic is named.
    public var steps: [Step] = []
    /// What goes wrong; nil for nothing.
    public var fault: MockFeedFault?
    /// Whether answers have an `ETag`.
    public var hasTags = true

    public init() {}

    /// One step, from now on.
    /// - Parameter topics: JSON: an array.
    public init(topics: String) { steps = [Step(topics: Array(topics.utf8))] }

    /// The body of the answer.
    func body(at time: TimeInterval) -> [UInt8] {
        let topics = steps.last { $0.after <= time }?.topics ?? Array("[]".utf8)
        return JSONWriter.object { $0.raw("topics", topics) }
    }
}

/// How a mock of a feed fails.
public struct MockFeedFault: Equatable, Sendable {
    /// What goes wrong.
    public enum Kind: String, CaseIterable, Sendable {
        /// Another status than 200, without a body.
        case status
        /// An answer that comes late.
        case delay
        /// An answer whose second half does not come.
        case stall
        /// A body that is no JSON.
        case malformed
        /// A body that is too long.
        case huge
        /// A connection that is closed in place of an answer.
        case reset
    }

    /// What goes wrong.
    public var kind: Kind
    /// Of `status`.
    public var status = 503
    /// The header field of that name, of `status`.
    public var retryAfter: String?
    /// Of `delay`.
    public var delay = TimeInterval.zero
    /// Of `huge`.
    public var bytes = 4 * 1024 * 1024
    /// After so many requests nothing is wrong any more; nil for never.
    public var limit: Int?

    /// - Parameter kind: see the property.
    public init(_ kind: Kind) { self.kind = kind }
}
