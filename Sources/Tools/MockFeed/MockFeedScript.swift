import LiveActivity
public import TimeCore

/// The content of a mock feed over time.
public struct MockFeedScript: Sendable {
    /// The content from a point in time on.
    public struct Step: Sendable {
        /// The time since the script was set.
        public var after: TimeInterval
        /// The topics as a JSON array, sent byte for byte.
        public var topics: [UInt8]

        /// - Parameter topics: A JSON array.
        public init(after: TimeInterval = .zero, topics: [UInt8]) {
            self.after = after
            self.topics = topics
        }
    }

    /// The steps in order of time. Before the first one, the feed is empty.
    public var steps: [Step] = []
    /// The fault of the answers; nil for none.
    public var fault: MockFeedFault?
    /// True if answers have an `ETag`.
    public var hasTags = true

    public init() {}

    /// Creates a script with a single step that starts at once.
    /// - Parameter topics: A JSON array.
    public init(topics: String) { steps = [Step(topics: Array(topics.utf8))] }

    /// Returns the body of the answer at a time since the script was set.
    func body(at time: TimeInterval) -> [UInt8] {
        let topics = steps.last { $0.after <= time }?.topics ?? Array("[]".utf8)
        return JSONWriter.object { $0.raw("topics", topics) }
    }
}

/// A fault of a mock feed.
public struct MockFeedFault: Equatable, Sendable {
    /// The kinds of faults.
    public enum Kind: String, CaseIterable, Sendable {
        /// A status with an empty body.
        case status
        /// A delayed answer.
        case delay
        /// An answer that stops halfway through its body.
        case stall
        /// A body that is not JSON.
        case malformed
        /// A body of spaces that is too long.
        case huge
        /// A connection that is closed without an answer.
        case reset
    }

    /// The kind of fault.
    public var kind: Kind
    /// The status code for `Kind.status`.
    public var status = 503
    /// The value of the header `retry-after` for `Kind.status`.
    public var retryAfter: String?
    /// The delay for `Kind.delay`.
    public var delay = TimeInterval.zero
    /// The length of the body for `Kind.huge`, in bytes.
    public var bytes = 4 * 1024 * 1024
    /// The number of requests with the fault; nil means all.
    public var limit: Int?

    /// - Parameter kind: The kind of fault.
    public init(_ kind: Kind) { self.kind = kind }
}
