/// The result of a load test.
public struct LoadReport: Sendable {
    /// Latencies in nanoseconds with three significant digits. All zero without calls.
    public struct Latency: Sendable, Equatable {
        /// The number of timed calls.
        public var count = 0
        /// The arithmetic mean.
        public var mean = 0.0
        /// The median.
        public var p50: UInt64 = 0
        /// The 90th percentile.
        public var p90: UInt64 = 0
        /// The 99th percentile.
        public var p99: UInt64 = 0
        /// The 99.9th percentile.
        public var p999: UInt64 = 0
        /// The maximum.
        public var max: UInt64 = 0
    }

    /// The counts and latencies of a kind of call or answer.
    public struct Row: Sendable {
        /// The name in reports.
        public let name: String
        /// Calls that were sent.
        public internal(set) var sent = 0
        /// Calls that succeeded.
        public internal(set) var succeeded = 0
        /// Calls that came too early and were repeated.
        public internal(set) var tooEarly = 0
        /// Calls that were answered with 429.
        public internal(set) var rateLimited = 0
        /// Calls with any other answer.
        public internal(set) var refused = 0
        /// Calls without an answer in time.
        public internal(set) var unanswered = 0
        /// Calls that followed from an answer instead of the clock.
        public internal(set) var followUps = 0
        /// The latency from the due time.
        public internal(set) var sinceDue = Latency()
        /// The latency from the sending time.
        public internal(set) var sinceSent = Latency()

        init(_ name: String) {
            self.name = name
        }
    }

    /// A named count.
    public struct Tally: Sendable, Equatable {
        /// The name in reports.
        public let name: String
        /// The number of occurrences.
        public let count: Int
    }

    /// A step of the test.
    public struct Phase: Sendable {
        /// The name in reports.
        public let name: String
        /// True if calls were due by the clock; false if each was sent as soon as there was capacity.
        public internal(set) var isByTheClock = false
        /// The duration of the step.
        public internal(set) var seconds = 0.0
        /// The maximum number of calls under way.
        public internal(set) var inFlight = 0
        /// Calls that were sent.
        public internal(set) var sent = 0
        /// Calls that succeeded.
        public internal(set) var succeeded = 0
        /// Calls that came too early and were repeated.
        public internal(set) var tooEarly = 0
        /// Calls that were answered with 429.
        public internal(set) var rateLimited = 0
        /// Calls with any other answer.
        public internal(set) var refused = 0
        /// Calls without an answer in time.
        public internal(set) var unanswered = 0
        /// Sent calls that followed from an answer instead of the clock.
        public internal(set) var followUps = 0
        /// Calls that were due but could not be sent.
        public internal(set) var neverSent = 0
        /// Calls sent more than a millisecond after their due time.
        public internal(set) var late = 0
        /// Late calls that waited for the bound of calls under way.
        public internal(set) var heldByBound = 0
        /// Late calls that waited because there was nothing to call.
        public internal(set) var heldByPlayer = 0
        /// The longest lateness, in nanoseconds.
        public internal(set) var worstLateness: UInt64 = 0
        /// The results by kind of call. Latencies cover calls that succeeded or timed out.
        public internal(set) var kinds: [Row] = []
        /// The latencies of scheduled calls, including rejected, timed-out and abandoned ones. Excludes rate-limited
        /// and lost ones.
        public internal(set) var all = Row("all")
        /// The latencies of 429 answers.
        public internal(set) var rateLimitedAnswers = Row("rate-limited")
        /// The latencies of other rejections.
        public internal(set) var refusedAnswers = Row("refused")
        /// Answers by HTTP status.
        public internal(set) var statuses: [Tally] = []
        /// Rejections by the code in their body.
        public internal(set) var codes: [Tally] = []
        /// Calls without an answer, by reason.
        public internal(set) var losses: [Tally] = []
        /// The CPU time of this process during the step, in seconds.
        public internal(set) var processorSeconds = 0.0
        /// Pushes that the provider accepted, by kind of call.
        public internal(set) var pushes: [Tally] = []
        /// Calls that were replaced because no activity allowed the wanted call.
        public internal(set) var replaced = 0
        /// True if the step ended early.
        public internal(set) var isBrokenOff = false
        /// Human-readable sentences.
        public internal(set) var notes: [String] = []

        init(_ name: String) {
            self.name = name
        }

        /// Calls that failed or were never sent.
        public var failed: Int { sent - succeeded - tooEarly + neverSent }
        /// The number of answers in a second.
        public var rate: Double { seconds > 0 ? Double(sent - unanswered) / seconds : 0 }
        /// The CPU time of this process for one call, in seconds.
        public var processorPerCall: Double { sent > 0 ? processorSeconds / Double(sent) : 0 }
    }

    /// The gateway's URL.
    public let target: String
    /// The steps in order.
    public internal(set) var phases: [Phase] = []
    /// The id of the activity, if the test started a single one.
    public internal(set) var activityID: String?
    /// The comparison of phones; nil without mocks.
    public internal(set) var phones: PhonesReport?
    /// The results of topics; nil unless the test used topics.
    public internal(set) var matchDay: MatchDayReport?

    init(target: String) {
        self.target = target
    }

    /// Calls of all steps that failed or were never sent, including rate-limited ones.
    public var failed: Int { phases.reduce(0) { $0 + $1.failed } }
    /// Calls of all steps that were answered with 429.
    public var rateLimited: Int { phases.reduce(0) { $0 + $1.rateLimited } }
    /// True if every compared phone shows the requested content, or phones were not compared.
    public var isRight: Bool { phones?.isRight ?? true }
    /// True if a step ended early.
    public var isBrokenOff: Bool { phases.contains(where: \.isBrokenOff) }
}
