public import Delivery
import FlatMemory
public import TimeCore

/// One job of a broadcast as a machine: which page is read next, which devices are noted as about to be sent, which
/// push goes out next, what an outcome means, and when all is done. No clock, no randomness, no I/O: the driver reads
/// pages, notes runs, sends pushes and reports what happened.
///
/// A start must never reach a device twice. So its devices are taken in *runs*, and a run is noted in the store before
/// the first of it is handed to a connection: whoever takes the job over knows exactly who may have been sent
/// something. Updates and ends may be sent again, and are not noted.
///
/// Invariants:
/// 1. Every device of every page read ends in exactly one final outcome, and is counted once.
/// 2. A page is read only while less than `openPages` others are held or being read, besides those of which a few
///    devices wait for another try: these keep nobody from being sent anything, and are bounded by themselves.
/// 3. A start whose push may have been delivered is never sent again.
/// 4. A push that cannot have been delivered is tried again, with pauses, until the job is stopped: the driver stops it
///    when the content is stale.
/// 5. Once stopped, superseded or handed over nothing is sent any more; what is in flight is awaited.
/// 6. Who is left for another gateway has no outcome here: such a device is counted nowhere, and is told as released if
///    it was noted.
/// 7. A device of a start is pushed only while it is noted: from `runNoted` until it is released or has its outcome.
/// 8. Another gateway may have sent a page in doubt in part. Its devices count as unknown, unless this gateway knows
///    their outcomes.
public struct BroadcastCore: ~Copyable {
    /// The bounds within which a job works.
    public struct Configuration: Sendable {
        /// How many pages may be open at once.
        public var openPages = 8
        /// How many more pages may be open of which no more than `restingDevices` are left, all for another try.
        public var restingPages = 64
        /// How many devices such a page may have left.
        public var restingDevices = 124
        /// How many devices a run of a start has at most. A seventh of a page, so that a full page is seven full runs.
        public var runLength = 124
        /// The waits before retries. The longest also bounds what the provider asks to wait: a device must not lose its
        /// Live Activity to that.
        public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
        /// When rejections stop the job.
        public var alarm = RejectionAlarm.Configuration()

        public init() {}
    }

    /// Names a device while its page is open.
    public struct Tag: Hashable, Sendable, BitwiseCopyable {
        /// Goes with the push to the provider, and comes back with its outcome.
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
        /// The bytes of the token, in the memory of the open page.
        public let token: UnsafeRawBufferPointer
        /// The page's number.
        public let page: Int
        /// The device's index in its page.
        public let index: UInt16
    }

    /// Why nothing more is sent.
    public enum StopReason: Equatable, Sendable {
        /// A newer broadcast has taken over.
        case superseded
        /// Every further push would fare the same, or the content is stale.
        case stopped(reason: String)
        /// Another gateway goes on: who has been sent nothing is left to it.
        case handedOver
    }

    /// As many as may be open, at a fixed address. It stands first because the thread sanitizer of Swift 6.3 takes the
    /// first field of a struct that cannot be copied for an address.
    let pages: UnsafeMutablePointer<OpenPage>
    /// What all pushes of the job are.
    public let event: PushEvent
    /// What has become of devices so far; those of open pages included.
    public internal(set) var tally = BroadcastTally()
    /// Why nothing more is sent; nil while the job goes on.
    public internal(set) var stopReason: StopReason?
    /// Pushes that are with the provider.
    public internal(set) var inFlight = 0

    let configuration: Configuration
    private var unread: ArraySlice<Int>
    private let pagesInDoubt: Set<Int>
    private var reading = 0
    /// The places that have been in use; there is memory for `capacity`.
    var places: Range<Int>
    let capacity: Int
    private var openCount = 0
    /// The place that the last device was taken from.
    var current = 0
    private var finished: [PageResult] = []
    var ready = ReadyDevices()
    /// True if the last push was a retry, and the next one is a first try if there is any.
    var isFirstTryNext = false
    var retries = RetryQueue()
    /// How many devices are being noted in the store.
    public internal(set) var beingNoted = 0
    /// Watches what the provider answers. It stops the job by itself, through `stopReason`.
    public private(set) var alarm: RejectionAlarm
    /// Whether pages or devices were left to another gateway.
    public internal(set) var isIncomplete = false

    /// - Parameters:
    ///   - pages: the numbers of the pages to send, in order.
    ///   - inDoubt: the number of leading pages that another gateway may have sent in part.
    ///   - devices: about how many devices they have, for the alarm.
    public init(
        event: PushEvent, pages: [Int], inDoubt: Int = 0, devices: Int = .max,
        configuration: Configuration = Configuration()
    ) {
        self.event = event
        self.configuration = configuration
        alarm = RejectionAlarm(devices: devices, configuration.alarm)
        unread = pages[...]
        pagesInDoubt = Set(pages.prefix(inDoubt))
        places = 0..<max(1, configuration.openPages)
        capacity = max(places.count, min(pages.count, places.count + configuration.restingPages))
        self.pages = .allocate(capacity: capacity)
        for place in places { (self.pages + place).initialize(to: OpenPage()) }
    }

    deinit {
        pages.deinitialize(count: places.count)
        pages.deallocate()
    }

    /// Whether devices are noted in the store before they are sent anything.
    public var notesRuns: Bool { event == .start }

    /// Whether every device has its outcome. What was finished last may still wait in `takeResults`.
    public var isFinished: Bool {
        unread.isEmpty && reading == 0 && inFlight == 0 && openCount == 0
    }

    /// Whether pages are unread, or being read.
    var hasPagesToRead: Bool { !unread.isEmpty || reading > 0 }

    // MARK: Pages

    /// True if more pages than usual are open or being read.
    public var hasManyPages: Bool { reading + openCount > max(1, configuration.openPages) }

    /// The page to read next, nil when enough are open or none is left. Answer with `pageRead` or `pageUnreadable`.
    public mutating func pageToRead() -> Int? {
        guard let page = unread.first, hasRoomForPage(besides: reading, of: openCount) else { return nil }
        unread.removeFirst()
        reading += 1
        return page
    }

    /// The page asked for has been read. Its devices that have no readable token count as `Unsendable` at once.
    public mutating func pageRead(_ page: BroadcastPage) {
        guard reading > 0, let place = freePlace() else {
            preconditionFailure("a page was read that nobody asked for: \(page.number), \(reading) reading")
        }
        reading -= 1
        tally.count(.unsendable, page.invalid)
        pages[place].begin(page, isInDoubt: pagesInDoubt.contains(page.number))
        openCount += 1
        if stopReason != nil { abandonWaiting(place) }
        finishIfComplete(place)
    }

    /// The page could not be read for good: its devices count as failed, by the reason for which the broadcast was
    /// stopped if it was, and the broadcast goes on with the next page.
    public mutating func pageUnreadable(_ number: Int, devices: Int) {
        precondition(reading > 0, "a page could not be read that nobody asked for")
        reading -= 1
        var result = PageResult(number: number)
        var cause = BroadcastTally.OwnReason.storeUnavailable.rawValue
        if case .stopped(let reason) = stopReason { cause = reason }
        if pagesInDoubt.contains(number) { cause = BroadcastTally.OwnReason.unknown.rawValue }
        result.tally.count(cause, devices)
        tally.count(cause, devices)
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

    /// What became of pages since the last call: of those that are finished, and with `whole` false of those that are
    /// open as well, as far as it is known.
    public mutating func takeResults(whole: Bool = true) -> [PageResult] {
        var results = finished
        finished.removeAll(keepingCapacity: true)
        guard !whole else { return results }
        for place in places where pages[place].isInUse {
            if let part = pages[place].takeOutcomes() { results.append(part) }
        }
        return results
    }

    /// Whether devices of open pages were released, and `takeResults` has not told of it: that comes ahead of a note.
    public var hasReleased: Bool {
        for place in places where pages[place].hasReleased { return true }
        return false
    }

    /// Whether open pages have outcomes, or released devices, that `takeResults` has not told.
    public var hasPartialResults: Bool {
        for place in places where pages[place].hasOutcomes { return true }
        return false
    }

    // MARK: Stopping

    /// Nothing more is sent; what waits is counted by the reason. The first reason stands.
    public mutating func stop(_ reason: StopReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        if reason == .handedOver { stopReading() }
        for tag in retries.removeAll() {
            pages[tag.place].retrying -= 1
            concludeStopped(tag)
        }
        while let tag = ready.popFirst() { concludeStopped(tag) }
        for place in places { abandonWaiting(place) }
    }

    private mutating func abandonWaiting(_ place: Int) {
        while let positions = pages[place].takeNext(.max) {
            for position in positions { concludeStopped(Tag(place: place, position: position)) }
        }
    }

    /// The outcome of a device whose turn will not come.
    mutating func concludeStopped(_ tag: Tag) {
        switch stopReason {
        case .handedOver:
            isIncomplete = true
            pages[tag.place].left(tag.position)
        case .superseded, nil:
            if pages[tag.place].lastReason(tag.position) == BroadcastTally.OwnReason.noAnswer.rawValue {
                // The provider may have taken a push that it has not answered.
                tally.count(.unknown, 1)
                pages[tag.place].unknown(tag.position)
            } else {
                if pages[tag.place].isInDoubt { tally.count(.unknown, 1) } else { tally.superseded += 1 }
                pages[tag.place].superseded(tag.position)
            }
        case .stopped(let reason):
            // Who was tried and refused has failed; who was sent nothing has not.
            if let refusal = pages[tag.place].lastReason(tag.position) {
                tally.count(refusal, 1)
                pages[tag.place].failed(tag.position, refusal)
            } else if pages[tag.place].isInDoubt {
                tally.count(.unknown, 1)
                pages[tag.place].unknown(tag.position)
            } else {
                tally.count(reason, 1)
                pages[tag.place].unsent(tag.position, reason)
            }
        }
        finishIfComplete(tag.place)
    }

    // MARK: Outcomes

    /// The provider has taken a push.
    public mutating func pushAccepted(_ tag: Tag) {
        inFlight -= 1
        accepted(tag)
    }

    @inline(__always)
    private mutating func accepted(_ tag: Tag) {
        alarm.answered()
        tally.accepted += 1
        pages[tag.place].accepted(tag.position)
        finishIfComplete(tag.place)
    }

    /// A push has ended in any other way.
    /// - Parameter jitter: a random number from 0 up to 1.
    public mutating func pushEnded(_ tag: Tag, _ outcome: PushOutcome, now: MonotonicTime, jitter: Double) {
        inFlight -= 1
        switch OutcomeDecision.of(outcome, event: event) {
        case .accepted: accepted(tag)
        case .failed(let reason, let isRejection):
            fail(tag, reason)
            if isRejection { rejected(reason) }
        case .tokenRejected(let reason):
            tally.count(reason, 1)
            pages[tag.place].quarantined(tag.position, reason)
            finishIfComplete(tag.place)
            if let reason = alarm.addressRefused(reason) { stop(.stopped(reason: reason)) }
        case .tokenDead(let reason, let since):
            alarm.answered()
            tally.count(reason, 1)
            pages[tag.place].died(tag.position, reason, since: since)
            finishIfComplete(tag.place)
        case .unknown:
            tally.count(.unknown, 1)
            pages[tag.place].unknown(tag.position)
            finishIfComplete(tag.place)
        case .handOver:
            stop(.handedOver)
            concludeStopped(tag)
        case .expired:
            stop(.stopped(reason: BroadcastTally.OwnReason.expired.rawValue))
            concludeStopped(tag)
        case .again(let reason, let wasTried, let wait):
            retry(tag, wasTried ? reason : nil, atLeast: wait, now: now, jitter: jitter)
        }
    }

    private mutating func fail(_ tag: Tag, _ reason: String) {
        tally.count(reason, 1)
        pages[tag.place].failed(tag.position, reason)
        finishIfComplete(tag.place)
    }

    private mutating func rejected(_ reason: String) {
        if let reason = alarm.rejected(reason) { stop(.stopped(reason: reason)) }
    }

    private mutating func retry(
        _ tag: Tag, _ reason: String?, atLeast wait: TimeInterval, now: MonotonicTime, jitter: Double
    ) {
        let attempts = pages[tag.place].attempted(tag.position, reason)
        // It cannot have been delivered: it is noted again before it is sent again.
        if notesRuns { pages[tag.place].release(tag.position) }
        if stopReason != nil { return concludeStopped(tag) }
        let pause = configuration.backoff.pause(after: attempts, jitter: jitter)
        retries.insert(tag, due: now + max(min(wait, configuration.backoff.longest), pause))
        pages[tag.place].retrying += 1
    }

    mutating func finishIfComplete(_ place: Int) {
        guard pages[place].isInUse, pages[place].open == 0 else { return }
        finished.append(pages[place].finish())
        openCount -= 1
        // Whatever is read into this place next comes behind the pages that are open.
        if place == current { current = (place + 1) % places.count }
    }
}

extension BroadcastTally {
    mutating func count(_ reason: OwnReason, _ number: Int) {
        count(reason.rawValue, number)
    }

    mutating func count(_ reason: String, _ number: Int) {
        if number > 0 { failed[reason, default: 0] += number }
    }
}
