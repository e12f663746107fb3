public import Delivery
import FlatMemory
public import TimeCore

/// The state machine of one job of a broadcast. It selects the next page to read, the next devices to note and the next
/// push, and counts the outcomes. It has no clock, randomness or I/O.
///
/// A start must never reach a device twice. So its devices are taken in *runs*, and the store notes a run before a
/// connection gets its first push. A gateway that takes the job over knows the devices that may have been pushed to.
/// Updates and ends may be sent again, and are not noted.
///
/// Invariants:
/// 1. Every device of every page read ends in exactly one final outcome, and is counted once.
/// 2. A page is read only while less than `openPages` others are open or being read. Pages of which only a few devices
///    wait for another try delay no other page, and have a limit of their own.
/// 3. A start whose push may have been delivered is never sent again.
/// 4. A push that cannot have been delivered is tried again, with pauses, until the job is stopped: the driver stops it
///    when the content is stale.
/// 5. Once stopped, superseded or handed over, a job sends nothing more. It waits for pushes in flight.
/// 6. A device that is left for another gateway has no outcome and no count here. If it was noted, it is released.
/// 7. A device of a start is pushed only while it is noted: from `runNoted` until it is released or has its outcome.
/// 8. Another gateway may have sent a page in doubt in part. Its devices count as unknown, unless this gateway knows
///    their outcomes.
public struct BroadcastCore: ~Copyable {
    /// The bounds within which a job works.
    public struct Configuration: Sendable {
        /// The most pages that are open at once.
        public var openPages = 8
        /// The most further open pages that have at most `restingDevices` left, all for another try.
        public var restingPages = 64
        /// The most devices that a resting page has left.
        public var restingDevices = 124
        /// The waits before retries. The longest also bounds what the provider asks to wait: a device must not lose its
        /// Live Activity to that.
        public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
        /// The rejections that stop the job.
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

    /// The destination of a push. Valid as long as the push is under way.
    public struct Target: BitwiseCopyable {
        /// The bytes of the token, in the memory of the open page.
        public let token: UnsafeRawBufferPointer
        /// The page's number.
        public let page: Int
        /// The device's index in its page.
        public let index: UInt16
    }

    /// The reason that nothing more is sent.
    public enum StopReason: Equatable, Sendable {
        /// A newer broadcast has taken over.
        case superseded
        /// Every further push would fare the same, or the content is stale.
        case stopped(reason: String)
        /// Another gateway continues and sends to the remaining devices.
        case handedOver
    }

    /// Memory for the open pages, at a fixed address. This field is the first one because the thread sanitizer of Swift
    /// 6.3 takes the first field of a noncopyable struct for an address.
    let pages: UnsafeMutablePointer<OpenPage>
    /// The event of all pushes of the job.
    public let event: PushEvent
    /// The outcomes so far, including those of open pages.
    public internal(set) var tally = BroadcastTally()
    /// The reason that nothing more is sent; nil while the job goes on.
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
    /// The number of devices that are being noted in the store.
    public internal(set) var beingNoted = 0
    /// The alarm on the provider's answers. It stops the job through `stopReason`.
    public private(set) var alarm: RejectionAlarm
    /// True if pages or devices were left to another gateway.
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

    /// True if devices are noted in the store before they are pushed to.
    public var notesRuns: Bool { event == .start }

    /// True if every device has its outcome. The last results may still wait in `takeResults`.
    public var isFinished: Bool {
        unread.isEmpty && reading == 0 && inFlight == 0 && openCount == 0
    }

    /// True if pages are unread or being read.
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

    /// The page cannot be read. Its devices count as failed, with the reason that stopped the broadcast, if any. The
    /// broadcast goes on with the next page.
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

    /// The requested page is not read, because another gateway continues.
    public mutating func pageNotRead() {
        precondition(reading > 0, "a page is given back that nobody asked for")
        reading -= 1
        isIncomplete = true
    }

    /// Stops reading pages. Open pages continue.
    public mutating func stopReading() {
        isIncomplete = isIncomplete || !unread.isEmpty
        unread = []
    }

    /// Takes the results of pages that were finished since the last call.
    /// - Parameter whole: False adds the known outcomes of open pages.
    public mutating func takeResults(whole: Bool = true) -> [PageResult] {
        var results = finished
        finished.removeAll(keepingCapacity: true)
        guard !whole else { return results }
        for place in places where pages[place].isInUse {
            if let part = pages[place].takeOutcomes() { results.append(part) }
        }
        return results
    }

    /// True if `takeResults` has not returned all released devices of open pages. They must be recorded before a note.
    public var hasReleased: Bool {
        for place in places where pages[place].hasReleased { return true }
        return false
    }

    /// True if `takeResults` has not returned all outcomes and released devices of open pages.
    public var hasPartialResults: Bool {
        for place in places where pages[place].hasOutcomes { return true }
        return false
    }

    // MARK: Stopping

    /// Stops sending. Waiting devices are counted by the reason. A second reason is ignored.
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

    /// Concludes a device that is no longer sent to.
    mutating func concludeStopped(_ tag: Tag) {
        switch stopReason {
        case .handedOver:
            isIncomplete = true
            pages[tag.place].left(tag.position)
        case .superseded, nil:
            if pages[tag.place].hadNoAnswer(tag.position) {
                tally.count(.unknown, 1)
                pages[tag.place].unknown(tag.position)
            } else {
                if pages[tag.place].isInDoubt { tally.count(.unknown, 1) } else { tally.superseded += 1 }
                pages[tag.place].superseded(tag.position)
            }
        case .stopped(let reason):
            // A device with a refused push has failed; a device without a push has not.
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
        // The push cannot have been delivered. The device is noted again before the next one.
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
        // The next page in this place comes after the open pages.
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
