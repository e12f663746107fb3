import LiveActivity

/// The options of the demo.
public struct DemoOptions: Sendable {
    /// The number of devices.
    public var devices = 10_000
    /// The number of updates between start and end; at least one is sent.
    public var updates = 2
    /// The maximum number of device requests under way.
    public var concurrency = 64
    /// The redis-server executable to start.
    public var redisExecutable = "redis-server"

    public init() {}
}

/// The result of the demo.
public struct DemoReport: Sendable {
    /// The result of one broadcast.
    public struct Broadcast: Sendable {
        /// The name in the report.
        public let name: String
        /// The event: `start`, `update` or `end`.
        public let event: String
        /// The number of pushes according to the reply; for a match step, the expected number.
        public let triggered: Int
        /// The number of pushes that the providers accepted.
        public let accepted: Int
        /// The number of phones that the accepted pushes reach.
        public let phones: Int
        /// The cohorts of the reply; empty if there is only one.
        public let cohorts: [Cohort]
        /// The time from the call to its reply; for a match step, to the last push. In seconds.
        public let seconds: Double
        /// The median time from the call to the arrival of a push at a provider, in milliseconds.
        public let median: Int
        /// The 99th percentile of the arrival times, in milliseconds.
        public let percentile99: Int
        /// The arrival time of the last push, in milliseconds.
        public let last: Int

        /// The number of pushes in a second.
        public var rate: Double { seconds > 0 ? Double(triggered) / seconds : 0 }
    }

    /// A kind of destination in a reply.
    public struct Cohort: Sendable {
        /// The name in the API.
        public let name: String
        /// The number of addressed devices.
        public let devices: Int
        /// The number of pushes that the provider accepted.
        public let accepted: Int

        static func read(_ reply: JSONValue) throws -> [Cohort] {
            guard let cohorts = try reply.member("cohorts") else { return [] }
            return try cohorts.memberNames.map { name in
                let cohort = try cohorts.member(name)
                return Cohort(
                    name: name, devices: Int(try cohort?.member("devices")?.int64 ?? 0),
                    accepted: Int(try cohort?.member("accepted")?.int64 ?? 0))
            }
        }
    }

    /// A number that must equal its expected value.
    public struct Check: Sendable {
        /// The name in the report.
        public let name: String
        /// The expected value.
        public let expected: Int
        /// The actual value.
        public let found: Int

        /// True if both values are equal.
        public var isRight: Bool { expected == found }
    }

    /// The number of devices.
    public let devices: Int
    /// The broadcasts in order: start, updates and end, then those of the match.
    public internal(set) var broadcasts: [Broadcast] = []
    /// Sentences about phones with wrong content, with the shown and the requested content.
    public internal(set) var wrongPhones: [String] = []
    /// All checks.
    public internal(set) var checks: [Check] = []
    /// The number of device syncs in a second.
    public internal(set) var syncRate = 0.0
    /// The median latency of a sync, in milliseconds.
    public internal(set) var syncMedian = 0.0
    /// The 99th percentile of the sync latency, in milliseconds.
    public internal(set) var syncPercentile99 = 0.0
    /// The number of connections that the providers accepted.
    public internal(set) var connections = 0

    /// True if all checks are right.
    public var isRight: Bool { checks.allSatisfy(\.isRight) }

    init(devices: Int) {
        self.devices = devices
    }
}

/// Receives the progress of the demo.
public protocol DemoObserver: Sendable {
    func began(_ step: String, total: Int?)
    func progressed(_ step: String, done: Int)
    func ended(_ step: String, note: String)
}

/// A failure of the demo, with a human-readable description.
public struct DemoError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
