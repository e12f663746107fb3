/// What the demo is asked to do.
public struct DemoOptions: Sendable {
    public var devices = 10_000
    public var updates = 2
    /// Requests of devices under way at once.
    public var concurrency = 64
    /// The redis-server to start.
    public var redisExecutable = "redis-server"

    public init() {}
}

/// What the demo came to.
public struct DemoReport: Sendable {
    public struct Broadcast: Sendable {
        public let name: String
        /// What the reply said.
        public let triggered: Int
        /// What the provider counted.
        public let accepted: Int
        public let seconds: Double
        /// When the pushes had reached the provider, in milliseconds from the call: median, 99th percentile, last.
        public let median: Int
        public let percentile99: Int
        public let last: Int

        public var rate: Double { seconds > 0 ? Double(triggered) / seconds : 0 }
    }

    public struct Check: Sendable {
        public let name: String
        public let expected: Int
        public let found: Int

        public var isRight: Bool { expected == found }
    }

    public let devices: Int
    public internal(set) var broadcasts: [Broadcast] = []
    public internal(set) var checks: [Check] = []
    /// Syncs of devices: how many in a second, and how long each took in milliseconds.
    public internal(set) var syncRate = 0.0
    public internal(set) var syncMedian = 0.0
    public internal(set) var syncPercentile99 = 0.0
    public internal(set) var connections = 0

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
