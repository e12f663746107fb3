import APNsCore
import BroadcastCore
import Delivery
import Testing
import TimeCore

/// Helpers for tests of `BroadcastCore`.
enum Stage {
    static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    /// Returns a page of devices with the indexes 0, 1, 2…; each token holds the page's number and the index.
    static func page(_ number: Int, _ count: Int) -> BroadcastPage {
        var bytes: [UInt8] = []
        var devices: [(index: Int, token: Range<Int>)] = []
        for index in 0..<count {
            let first = bytes.count
            bytes += token(number, index)
            devices.append((index, first..<bytes.count))
        }
        return BroadcastPage(number: number, devices: devices, bytes: bytes)
    }

    static func token(_ number: Int, _ index: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
    }

    /// Returns a broadcast whose only page has been read.
    static func core(
        _ event: PushEvent, devices: Int, _ change: (inout BroadcastCore.Configuration) -> Void = { _ in }
    ) -> BroadcastCore {
        var configuration = BroadcastCore.Configuration()
        change(&configuration)
        var core = BroadcastCore(event: event, pages: [0], configuration: configuration)
        _ = core.pageToRead()
        core.pageRead(page(0, devices))
        return core
    }

    static func rejected(_ status: UInt16, _ reason: RejectionReason, since: UInt64? = nil, retryAfter: UInt32? = nil)
        -> PushOutcome
    {
        .rejected(Rejection(status: status, reason: reason, unregisteredSince: since, retryAfter: retryAfter))
    }

    static let badToken = rejected(400, .badDeviceToken)
    static let busy = rejected(503, .serviceUnavailable)
    static let lost = PushOutcome.unsent(.connectionLost("reset"), mayHaveBeenDelivered: true)
}

/// No push is due.
struct NothingToPush: Error {}

extension BroadcastCore {
    /// Sends the next push and ends it with the outcome. Returns false if none is due.
    mutating func sendNext(_ outcome: PushOutcome, at now: MonotonicTime, jitter: Double = 0) -> Bool {
        guard let tag = notedAndNext(now) else { return false }
        pushEnded(tag, outcome, now: now, jitter: jitter)
        return true
    }

    /// Sends the next push and ends it with the outcome. Records an issue if none is due.
    mutating func send(_ outcome: PushOutcome, at now: MonotonicTime, _ location: SourceLocation = #_sourceLocation) {
        if !sendNext(outcome, at: now) { Issue.record("no push is due", sourceLocation: location) }
    }

    mutating func next(_ now: MonotonicTime) throws -> Tag {
        guard let tag = notedAndNext(now) else { throw NothingToPush() }
        return tag
    }

    /// Returns the next push. Marks a run as noted first if the core requires it.
    private mutating func notedAndNext(_ now: MonotonicTime) -> Tag? {
        if let tag = nextPush(now: now) { return tag }
        if let run = runToNote(now: now, limit: 1) { runNoted(run) }
        return nextPush(now: now)
    }

    mutating func expectNothingToPush(_ now: MonotonicTime, _ location: SourceLocation = #_sourceLocation) {
        let tag = notedAndNext(now)
        #expect(tag == nil, sourceLocation: location)
    }

    mutating func expectToRead(_ number: Int?, _ location: SourceLocation = #_sourceLocation) {
        let page = pageToRead()
        #expect(page == number, sourceLocation: location)
    }

    mutating func expectFinished(_ numbers: [Int], _ location: SourceLocation = #_sourceLocation) {
        let pages = takeResults().map(\.number)
        #expect(pages == numbers, sourceLocation: location)
    }
}
