public import TimeCore

/// A gateway's share of the message quota that all gateways of a Firebase project use. It decides how many messages may
/// leave now.
///
/// A gateway with messages requests permits from the store, at most a slice: 50 ms at the project's rate. It requests
/// more when half a slice is left. Unused permits expire after a second, to prevent hoarding and bursts.
///
/// Allocates nothing. Invariants:
/// 1. No more messages leave than permits, and no permit is older than `permitLife`.
/// 2. One request at a time, and none before the time of the last answer.
/// 3. Permits are requested when messages wait, no permit is left, and that time has come.
/// 4. It holds a slice and a half at most.
public struct SendAllowance: Sendable {
    /// A request for permits.
    public struct Request: Hashable, Sendable {
        /// The sequence number of the request, from 1. Return it with the answer.
        public let number: UInt32
        /// The number of requested permits, at least one.
        public let count: Int
    }

    private struct Lot {
        var count = 0
        var goodUntil = MonotonicTime(nanoseconds: 0)

        func count(at now: MonotonicTime) -> Int { now < goodUntil ? count : 0 }
    }

    /// The time for which permits are valid after their arrival.
    public static let permitLife = TimeInterval.seconds(1)
    /// The maximum wait before the next request, even if an answer requires more.
    public static let longestWait = TimeInterval.seconds(60)
    /// The minimum wait after an answer without permits.
    static let shortestWait = TimeInterval.milliseconds(10)
    /// The time after which a request without an answer is abandoned.
    static let requestLimit = TimeInterval.seconds(2)
    static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(1))

    /// The maximum number of permits in a request.
    public let slice: Int
    /// Older and newer permits.
    private var older = Lot()
    private var newer = Lot()
    private var open: (request: Request, begunAt: MonotonicTime)?
    private var requests: UInt32 = 0
    private var failures = 0
    /// The earliest time of the next request.
    private var notBefore = MonotonicTime(nanoseconds: 0)

    /// - Parameter messagesPerMinute: The project's quota; under 1 counts as 1.
    public init(messagesPerMinute: Int) {
        slice = max(1, messagesPerMinute / (60 * 20))
    }

    /// Returns the number of messages that may leave now.
    public func permits(now: MonotonicTime) -> Int { older.count(at: now) + newer.count(at: now) }

    /// The time of the next call of `messagesWait` if no other event occurs. It matters only while messages wait.
    public var nextLook: MonotonicTime { open.map { $0.begunAt + Self.requestLimit } ?? notBefore }

    /// Uses permits, the oldest first.
    /// - Returns: The number of messages that may leave.
    public mutating func messagesLeave(_ wanted: Int, now: MonotonicTime) -> Int {
        let fromOlder = min(max(0, wanted), older.count(at: now))
        let fromNewer = min(max(0, wanted) - fromOlder, newer.count(at: now))
        older.count -= fromOlder
        newer.count -= fromNewer
        return fromOlder + fromNewer
    }

    /// Requests permits for waiting messages, also at the time of `nextLook`.
    /// - Returns: The request to make now, if any.
    public mutating func messagesWait(_ waiting: Int, now: MonotonicTime) -> Request? {
        if let open, now >= open.begunAt + Self.requestLimit { failed(now) }
        let held = permits(now: now)
        guard open == nil, now >= notBefore, waiting > held, held <= slice / 2 else { return nil }
        requests &+= 1
        let request = Request(number: requests, count: min(slice, waiting - held))
        open = (request, now)
        return request
    }

    /// Records the answer to a request. An answer to an abandoned request is ignored.
    /// - Parameters:
    ///   - count: The number of permits; more than requested are ignored.
    ///   - wait: The pause before the next request.
    /// - Returns: True if more messages may leave than before.
    public mutating func granted(_ number: UInt32, _ count: Int, wait: TimeInterval, now: MonotonicTime) -> Bool {
        guard let open, open.request.number == number else { return false }
        self.open = nil
        failures = 0
        let granted = min(max(0, count), open.request.count)
        notBefore = now + min(granted > 0 ? wait : max(wait, Self.shortestWait), Self.longestWait)
        if granted > 0 { keep(granted, now) }
        return granted > 0
    }

    /// Records that a request failed.
    public mutating func requestFailed(_ number: UInt32, now: MonotonicTime) {
        if open?.request.number == number { failed(now) }
    }

    /// Records FCM's answer that the quota is exceeded. Drops all permits and the open request. No message leaves
    /// during `wait`, at most `longestWait`.
    public mutating func quotaExceeded(wait: TimeInterval, now: MonotonicTime) {
        (older, newer) = (Lot(), Lot())
        open = nil
        notBefore = max(notBefore, now + min(wait, Self.longestWait))
    }

    private mutating func failed(_ now: MonotonicTime) {
        open = nil
        failures += 1
        notBefore = now + Self.backoff.pause(after: failures)
    }

    private mutating func keep(_ count: Int, _ now: MonotonicTime) {
        if older.count(at: now) == 0 { (older, newer) = (newer, Lot()) }
        if older.count(at: now) == 0 {
            older = Lot(count: count, goodUntil: now + Self.permitLife)
        } else if newer.count(at: now) == 0 {
            newer = Lot(count: count, goodUntil: now + Self.permitLife)
        } else {
            // A rare case after answers with few permits: the new ones expire together with the lot's.
            newer.count += count
        }
    }
}
