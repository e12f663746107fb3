import FlatMemory
public import PushProtocol
public import TimeCore

/// One broadcast as a machine: which page is read next, which push goes out next, what an outcome means, and when all
/// is done. No clock, no randomness, no I/O: the driver reads pages, sends pushes and reports what happened.
///
/// Invariants:
/// 1. Every device of every page read ends in exactly one final outcome, and is counted once.
/// 2. At most `openPages` pages are held or being read: memory does not grow with the segment.
/// 3. A start whose push may have been delivered is never sent again.
/// 4. A push is tried at most `attempts` times, and no retry is set for later than `retryWindow` after its first try.
/// 5. Once stopped, superseded or handed over nothing is sent any more; what is in flight is awaited.
/// 6. Who is left for another gateway has no outcome here: such a device is counted nowhere.
public struct BroadcastCore: ~Copyable {
    public struct Configuration: Sendable {
        /// How many pages may be open at once.
        public var openPages = 8
        /// How often a push is tried, the first time included.
        public var attempts = 6
        /// The first wait before a retry; each further one is twice as long, up to `longestWait`.
        public var firstWait = TimeInterval.milliseconds(500)
        public var longestWait = TimeInterval.seconds(15)
        /// For how long after its first try a push is tried again.
        public var retryWindow = TimeInterval.seconds(60)
        /// Nearly all of the first tokens that the provider has judged rejected mean a wrong environment or app: the
        /// broadcast stops.
        public var alarmAfter = 1000
        public var alarmShare = 0.95

        public init() {}
    }

    /// Names a device while its page is open.
    public struct Tag: Hashable, Sendable, BitwiseCopyable {
        public let rawValue: UInt64

        public init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        init(place: Int, position: Int) {
            rawValue = UInt64(place) << 32 | UInt64(position)
        }

        var place: Int { Int(rawValue >> 32) }
        var position: Int { Int(rawValue & 0xFFFF_FFFF) }
    }

    /// Where a push goes. Valid as long as the push is under way.
    public struct Target: BitwiseCopyable {
        public let token: UnsafeRawBufferPointer
        /// The page's number and the device's index in it.
        public let page: Int
        public let index: UInt16
    }

    /// Why nothing more is sent.
    public enum Halt: Equatable, Sendable {
        /// A newer broadcast has taken over.
        case superseded
        /// Every further push would fare the same.
        case stopped(reason: String)
        /// Another gateway goes on: who has been sent nothing is left to it.
        case handedOver
    }

    /// As many as may be open, at a fixed address. It stands first because the thread sanitizer of Swift 6.3 takes the
    /// first field of a struct that cannot be copied for an address.
    private let pages: UnsafeMutablePointer<OpenPage>
    public let event: PushEvent
    public private(set) var tally = BroadcastTally()
    public private(set) var halt: Halt?
    /// Pushes that are with the provider.
    public private(set) var inFlight = 0

    private let configuration: Configuration
    private var unread: ArraySlice<Int>
    private var reading = 0
    private let places: Range<Int>
    private var openCount = 0
    /// The place that the last push came from.
    private var current = 0
    private var finished: [PageResult] = []
    private var retries = RetryQueue()
    /// Final answers of the provider's that tell whether a token is one of this app's, and those that say it is not.
    private var judgedTokens = 0
    private var tokenRejections = 0
    private var tokenRejectionReason: String?
    /// Whether pages or devices were left to another gateway.
    public private(set) var isIncomplete = false

    /// - Parameter pages: the numbers of the pages to send, in order.
    public init(event: PushEvent, pages: [Int], configuration: Configuration = Configuration()) {
        self.event = event
        self.configuration = configuration
        unread = pages[...]
        places = 0..<max(1, configuration.openPages)
        self.pages = .allocate(capacity: places.count)
        for place in places { (self.pages + place).initialize(to: OpenPage()) }
    }

    deinit {
        pages.deinitialize(count: places.count)
        pages.deallocate()
    }

    /// Whether every device has its outcome. Pages finished last may still wait in `takeFinishedPages`.
    public var isFinished: Bool {
        unread.isEmpty && reading == 0 && inFlight == 0 && openCount == 0
    }

    // MARK: Pages

    /// The page to read next, nil when enough are open or none is left. Answer with `pageRead` or `pageUnreadable`.
    public mutating func pageToRead() -> Int? {
        guard let page = unread.first, reading + openCount < places.count else { return nil }
        unread.removeFirst()
        reading += 1
        return page
    }

    /// - Parameter isUnknown: somebody began to send the page and is lost: its devices count as `unknown`, and nothing is
    ///   sent to them.
    public mutating func pageRead(_ page: BroadcastPage, isUnknown: Bool = false) {
        guard reading > 0, let place = places.first(where: { !pages[$0].isInUse }) else {
            preconditionFailure("a page was read that nobody asked for: \(page.number), \(reading) reading")
        }
        reading -= 1
        tally.count(.unsendable, page.invalid)
        pages[place].begin(page)
        openCount += 1
        if isUnknown {
            abandonWaiting(place, .unknown)
        } else if halt != nil {
            abandonWaiting(place, haltOutcome)
        }
        finishIfComplete(place)
    }

    /// The page could not be read for good: its devices count as failed, and the broadcast goes on with the next page.
    public mutating func pageUnreadable(_ number: Int, devices: Int) {
        precondition(reading > 0, "a page could not be read that nobody asked for")
        reading -= 1
        tally.count(.storeUnavailable, devices)
        var result = PageResult(number: number)
        result.tally.count(.storeUnavailable, devices)
        finished.append(result)
    }

    /// The page asked for is not read after all, because another gateway goes on.
    public mutating func pageNotRead() {
        precondition(reading > 0, "a page is given back that nobody asked for")
        reading -= 1
        isIncomplete = true
    }

    /// No further page is read; what is open goes on.
    public mutating func stopReading() {
        isIncomplete = isIncomplete || !unread.isEmpty
        unread = []
    }

    /// The pages that have been finished since the last call.
    public mutating func takeFinishedPages() -> [PageResult] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    // MARK: Pushes

    /// How many devices of the open pages have not been sent anything yet.
    public var waiting: Int {
        halt == nil ? places.reduce(0) { $0 + pages[$1].waiting } : 0
    }

    /// The device to push next, nil when none is due. It counts as in flight from here on; `pushRefused` takes that back.
    public mutating func nextPush(now: MonotonicTime) -> Tag? {
        if !retries.isEmpty, let tag = retries.popDue(now) {
            inFlight += 1
            return tag
        }
        guard halt == nil else { return nil }
        guard let position = pages[current].takeNext() else { return nextOfOtherPage(now) }
        return taken(current, position, now)
    }

    private mutating func nextOfOtherPage(_ now: MonotonicTime) -> Tag? {
        for place in places {
            guard let position = pages[place].takeNext() else { continue }
            current = place
            return taken(place, position, now)
        }
        return nil
    }

    @inline(__always)
    private mutating func taken(_ place: Int, _ position: Int, _ now: MonotonicTime) -> Tag {
        pages[place].pushed(position, retryUntil: now + configuration.retryWindow)
        inFlight += 1
        return Tag(place: place, position: position)
    }

    /// When the next retry is due, if any waits.
    public var nextRetry: MonotonicTime? { retries.nextDue }

    /// The client had no room after all: the device is due again at once. This was no attempt.
    public mutating func pushRefused(_ tag: Tag, now: MonotonicTime) {
        inFlight -= 1
        if halt != nil { return conclude(tag, haltOutcome) }
        retries.insert(tag, due: now)
    }

    /// Where the push goes.
    public func target(_ tag: Tag) -> Target {
        pages[tag.place].target(tag.position)
    }

    /// The provider has taken a push.
    public mutating func pushAccepted(_ tag: Tag) {
        inFlight -= 1
        accepted(tag)
    }

    private mutating func accepted(_ tag: Tag) {
        judgedTokens += 1
        tally.accepted += 1
        pages[tag.place].accepted(tag.position)
        finishIfComplete(tag.place)
        if judgedTokens == configuration.alarmAfter { raiseAlarmIfDue() }
    }

    /// A push has ended in any other way.
    /// - Parameter jitter: a random number from 0 up to 1.
    public mutating func pushEnded(_ tag: Tag, _ outcome: PushOutcome, now: MonotonicTime, jitter: Double) {
        inFlight -= 1
        switch Judgement.of(outcome, event: event) {
        case .accepted: accepted(tag)
        case .failed(let reason): conclude(tag, .failed(reason))
        case .tokenRejected(let reason):
            judgedTokens += 1
            tokenRejections += 1
            tokenRejectionReason = reason
            conclude(tag, .failed(reason))
            raiseAlarmIfDue()
        case .tokenDead(let reason, let since):
            judgedTokens += 1
            conclude(tag, .dead(reason, since: since))
            raiseAlarmIfDue()
        case .unknown: conclude(tag, .unknown)
        case .handOver:
            stop(.handedOver)
            conclude(tag, haltOutcome)
        case .stop(let reason):
            conclude(tag, .failed(reason))
            stop(.stopped(reason: reason))
        case .again(let reason, let limit, let wait):
            retry(tag, reason: reason, limit: limit, atLeast: wait, now: now, jitter: jitter)
        }
    }

    // MARK: Halting

    /// Nothing more is sent; what waits is counted by the reason. The first reason stands.
    public mutating func stop(_ reason: Halt) {
        guard halt == nil else { return }
        halt = reason
        if reason == .handedOver { stopReading() }
        for tag in retries.removeAll() { conclude(tag, haltOutcome) }
        for place in places { abandonWaiting(place, haltOutcome) }
    }

    private mutating func abandonWaiting(_ place: Int, _ outcome: FinalOutcome) {
        while let position = pages[place].takeNext() {
            conclude(Tag(place: place, position: position), outcome)
        }
    }

    private var haltOutcome: FinalOutcome {
        switch halt {
        case .stopped(let reason): .failed(reason)
        case .handedOver: .left
        case .superseded, nil: .superseded
        }
    }

    /// Decided once, when enough tokens have been judged, whatever the last one's judgement was. Pushes without a final
    /// answer say nothing of their token and do not count.
    private mutating func raiseAlarmIfDue() {
        guard judgedTokens == configuration.alarmAfter, let reason = tokenRejectionReason,
            Double(tokenRejections) >= configuration.alarmShare * Double(judgedTokens)
        else { return }
        stop(.stopped(reason: reason))
    }

    // MARK: Outcomes

    private enum FinalOutcome {
        case unknown, superseded, left
        case failed(String)
        case dead(String, since: UInt64?)
    }

    private mutating func retry(
        _ tag: Tag, reason: String, limit: Int?, atLeast wait: TimeInterval, now: MonotonicTime, jitter: Double
    ) {
        if halt != nil { return conclude(tag, haltOutcome) }
        let progress = pages[tag.place].attempted(tag.position)
        let attempts = Int(progress.attempts)
        let doubled = configuration.firstWait.nanoseconds << UInt64(min(attempts - 1, 16))
        let longest = min(doubled, configuration.longestWait.nanoseconds)
        let due = now + max(wait, TimeInterval(nanoseconds: longest / 2 + UInt64(Double(longest / 2) * jitter)))
        let retryUntil = MonotonicTime(nanoseconds: progress.retryUntil)
        guard attempts < min(limit ?? .max, configuration.attempts), due < retryUntil else {
            return conclude(tag, .failed(reason))
        }
        retries.insert(tag, due: due)
    }

    private mutating func conclude(_ tag: Tag, _ outcome: FinalOutcome) {
        switch outcome {
        case .unknown:
            tally.count(.unknown, 1)
            pages[tag.place].unknown(tag.position)
        case .superseded:
            tally.superseded += 1
            pages[tag.place].superseded()
        case .left:
            isIncomplete = true
            pages[tag.place].left()
        case .failed(let reason):
            tally.failed[reason, default: 0] += 1
            pages[tag.place].failed(tag.position, reason)
        case .dead(let reason, let since):
            tally.failed[reason, default: 0] += 1
            pages[tag.place].died(tag.position, reason, since: since)
        }
        finishIfComplete(tag.place)
    }

    private mutating func finishIfComplete(_ place: Int) {
        guard pages[place].isInUse, pages[place].open == 0 else { return }
        finished.append(pages[place].finish())
        openCount -= 1
    }
}

extension BroadcastTally {
    mutating func count(_ reason: OwnReason, _ number: Int) {
        if number > 0 { failed[reason.rawValue, default: 0] += number }
    }
}
