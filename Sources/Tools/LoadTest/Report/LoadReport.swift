/// What a load test came to.
public struct LoadReport: Sendable {
    /// Percentiles in nanoseconds, three digits exact. All zero without calls.
    public struct Latency: Sendable, Equatable {
        /// How many calls were timed.
        public var count = 0
        /// The mean of all.
        public var mean = 0.0
        /// The median.
        public var p50: UInt64 = 0
        /// The 90th percentile.
        public var p90: UInt64 = 0
        /// The 99th percentile.
        public var p99: UInt64 = 0
        /// The 99.9th percentile.
        public var p999: UInt64 = 0
        /// The longest.
        public var max: UInt64 = 0
    }

    /// A kind of call, or a kind of answer.
    public struct Row: Sendable {
        /// What people call it.
        public let name: String
        /// Calls that were sent.
        public internal(set) var sent = 0
        /// Calls that were carried out.
        public internal(set) var succeeded = 0
        /// Calls that came before what they are about, and were made again.
        public internal(set) var tooEarly = 0
        /// Calls that were answered 429.
        public internal(set) var rateLimited = 0
        /// Calls with any other answer.
        public internal(set) var refused = 0
        /// Calls without an answer in time.
        public internal(set) var unanswered = 0
        /// Calls that followed from an answer, and were not due by the clock.
        public internal(set) var followUps = 0
        /// From when the calls were due.
        public internal(set) var sinceDue = Latency()
        /// From when they were sent.
        public internal(set) var sinceSent = Latency()

        init(_ name: String) {
            self.name = name
        }
    }

    /// Something that happened so many times.
    public struct Tally: Sendable, Equatable {
        /// What has happened.
        public let name: String
        /// How many times.
        public let count: Int
    }

    /// One step of the test.
    public struct Phase: Sendable {
        /// What people call it.
        public let name: String
        /// Calls were due by the clock; else each was sent when the one before it had been answered.
        public internal(set) var isByTheClock = false
        /// How long it took.
        public internal(set) var seconds = 0.0
        /// Calls under way at most.
        public internal(set) var inFlight = 0
        /// Calls that were sent.
        public internal(set) var sent = 0
        /// Calls that were carried out.
        public internal(set) var succeeded = 0
        /// Calls that came before what they are about, and were made again.
        public internal(set) var tooEarly = 0
        /// Calls that were answered 429.
        public internal(set) var rateLimited = 0
        /// Calls with any other answer.
        public internal(set) var refused = 0
        /// Calls without an answer in time.
        public internal(set) var unanswered = 0
        /// Of those sent, how many followed from an answer, and were not due by the clock.
        public internal(set) var followUps = 0
        /// Calls that were due and could not be sent any more.
        public internal(set) var neverSent = 0
        /// Calls sent more than a millisecond after they were due; of these, those that waited for the bound of calls
        /// under way, and those for which there was nothing to call.
        public internal(set) var late = 0
        /// Of the late ones, those that waited for the bound of calls under way.
        public internal(set) var heldByBound = 0
        /// Of the late ones, those for which there was nothing to call.
        public internal(set) var heldByPlayer = 0
        /// In nanoseconds.
        public internal(set) var worstLateness: UInt64 = 0
        /// Each kind of call that was made, with the calls that succeeded or had no answer in time.
        public internal(set) var kinds: [Row] = []
        /// All calls by the clock but the rate-limited, with those that were never sent.
        public internal(set) var all = Row("all")
        /// How long it took to be answered 429.
        public internal(set) var rateLimitedAnswers = Row("rate-limited")
        /// How long it took to be refused otherwise.
        public internal(set) var refusedAnswers = Row("refused")
        /// Answers by HTTP status.
        public internal(set) var statuses: [Tally] = []
        /// Refusals by the code in their body.
        public internal(set) var codes: [Tally] = []
        /// Calls without an answer by what became of them.
        public internal(set) var losses: [Tally] = []
        /// What this process used while the step ran, in seconds of CPU time.
        public internal(set) var processorSeconds = 0.0
        /// Pushes that the provider accepted, by kind of call.
        public internal(set) var pushes: [Tally] = []
        /// Calls that were replaced, since there was no activity for the one wanted.
        public internal(set) var replaced = 0
        /// Whether it was ended before its time.
        public internal(set) var isBrokenOff = false
        /// Sentences for people.
        public internal(set) var notes: [String] = []

        init(_ name: String) {
            self.name = name
        }

        /// Calls that were due and did not succeed.
        public var failed: Int { sent - succeeded - tooEarly + neverSent }
        /// Answers in a second.
        public var rate: Double { seconds > 0 ? Double(sent - unanswered) / seconds : 0 }
        /// Seconds of this process's CPU time for a call.
        public var processorPerCall: Double { sent > 0 ? processorSeconds / Double(sent) : 0 }
    }

    /// The gateway's URL.
    public let target: String
    /// The steps, in the order in which they were made.
    public internal(set) var phases: [Phase] = []
    /// The activity that was started, where one was asked for.
    public internal(set) var activityID: String?
    /// The comparison of phones, where mocks were named.
    public internal(set) var phones: PhonesReport?
    /// What became of the topics, where topics were played.
    public internal(set) var matchDay: MatchDayReport?

    init(target: String) {
        self.target = target
    }

    /// Calls that did not succeed, rate-limited ones among them.
    public var failed: Int { phases.reduce(0) { $0 + $1.failed } }
    /// Calls of all steps that were answered 429.
    public var rateLimited: Int { phases.reduce(0) { $0 + $1.rateLimited } }
    /// True if no phone shows something else than was asked for, or phones were not compared.
    public var isRight: Bool { phones?.isRight ?? true }
    /// Whether a step was ended before its time.
    public var isBrokenOff: Bool { phases.contains(where: \.isBrokenOff) }
}
