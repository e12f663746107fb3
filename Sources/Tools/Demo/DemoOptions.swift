import LiveActivity

/// What the demo is asked to do.
public struct DemoOptions: Sendable {
    /// How many devices there are.
    public var devices = 10_000
    /// How many updates are sent between start and end.
    public var updates = 2
    /// Requests of devices under way at once.
    public var concurrency = 64
    /// The redis-server to start.
    public var redisExecutable = "redis-server"

    public init() {}
}

/// What the demo came to.
public struct DemoReport: Sendable {
    /// What one broadcast came to.
    public struct Broadcast: Sendable {
        /// What people call it.
        public let name: String
        /// `start`, `update` or `end`.
        public let event: String
        /// What the reply said.
        public let triggered: Int
        /// What the provider counted.
        public let accepted: Int
        /// How many phones the accepted pushes are for.
        public let phones: Int
        /// What the reply said of each kind of destination; empty where there was one.
        public let cohorts: [Cohort]
        /// From the call to its reply.
        public let seconds: Double
        /// When the pushes had reached the provider, in milliseconds from the call: median, 99th percentile, last.
        public let median: Int
        /// The 99th percentile.
        public let percentile99: Int
        /// The last one.
        public let last: Int

        /// Pushes in a second.
        public var rate: Double { seconds > 0 ? Double(triggered) / seconds : 0 }
    }

    /// A kind of destination in a reply.
    public struct Cohort: Sendable {
        /// The contract's word.
        public let name: String
        /// Devices addressed.
        public let devices: Int
        /// Pushes that the provider accepted.
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

    /// A number that must be right, as the provider has it.
    public struct Check: Sendable {
        /// What people call it.
        public let name: String
        /// What it should be.
        public let expected: Int
        /// What it is.
        public let found: Int

        /// Whether the two are the same.
        public var isRight: Bool { expected == found }
    }

    /// How many devices there were.
    public let devices: Int
    /// Start, updates and end, in this order.
    public internal(set) var broadcasts: [Broadcast] = []
    /// Sentences about phones that show something else than the customer asked for, with both contents.
    public internal(set) var wrongPhones: [String] = []
    /// All that was counted.
    public internal(set) var checks: [Check] = []
    /// Syncs of devices: how many in a second, and how long each took in milliseconds.
    public internal(set) var syncRate = 0.0
    /// The median.
    public internal(set) var syncMedian = 0.0
    /// The 99th percentile.
    public internal(set) var syncPercentile99 = 0.0
    /// Connections that the provider has seen.
    public internal(set) var connections = 0

    /// Whether all checks are right.
    public var isRight: Bool { checks.allSatisfy(\.isRight) }

    init(devices: Int) {
        self.devices = devices
    }
}

/// Hears how far the demo is, to show it.
public protocol DemoObserver: Sendable {
    func began(_ step: String, total: Int?)
    func progressed(_ step: String, done: Int)
    func ended(_ step: String, note: String)
}

/// Why the demo could not be carried out.
public struct DemoError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
