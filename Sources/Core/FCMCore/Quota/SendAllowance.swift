public import TimeCore

/// A gateway's part of the quota of messages that all gateways of a Firebase project share: how many may leave now.
///
/// Permits are asked for where the quota is kept, in slices of 50 ms of the rate at most, by whoever has messages to
/// send, and anew when half of a slice is left. What is not used within a second is lost, so that no gateway hoards
/// what another one could use, or sends all at once what it has not sent for long.
///
/// Allocates nothing. Invariants:
/// 1. No more messages leave than were permitted, and none by a permit that is older than `permitLife`.
/// 2. One request at a time, and none before the time that the last answer named.
/// 3. When somebody has messages to send, there is no permit, and that time has come, permits are asked for.
/// 4. It holds a slice and a half at most.
public struct SendAllowance: Sendable {
    /// Something to ask where the quota is kept.
    public struct Request: Hashable, Sendable {
        /// Counts the requests from 1 on. It is given back with the answer.
        public let number: UInt32
        /// How many permits are wanted, at least one.
        public let count: Int
    }

    private struct Lot {
        var count = 0
        var goodUntil = MonotonicTime(nanoseconds: 0)

        func count(at now: MonotonicTime) -> Int { now < goodUntil ? count : 0 }
    }

    /// For how long permits are good from when they come.
    public static let permitLife = TimeInterval.seconds(1)
    /// No longer than this is waited for whatever an answer says, before it is asked again.
    public static let longestWait = TimeInterval.seconds(60)
    /// After an answer without any permit, whatever it says.
    static let shortestWait = TimeInterval.milliseconds(10)
    /// A request without an answer is given up.
    static let requestLimit = TimeInterval.seconds(2)
    static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(1))

    /// The most permits that are asked for at once.
    public let slice: Int
    /// The older permits and the newer ones.
    private var older = Lot()
    private var newer = Lot()
    private var open: (request: Request, begunAt: MonotonicTime)?
    private var requests: UInt32 = 0
    private var failures = 0
    /// No request before this.
    private var notBefore = MonotonicTime(nanoseconds: 0)

    /// - Parameter messagesPerMinute: the project's quota; under 1 counts as 1.
    public init(messagesPerMinute: Int) {
        slice = max(1, messagesPerMinute / (60 * 20))
    }

    /// How many messages may leave now.
    public func permits(now: MonotonicTime) -> Int { older.count(at: now) + newer.count(at: now) }

    /// When `messagesWait` has something to do next, if nothing else happens. Of use as long as there are messages to
    /// send.
    public var nextLook: MonotonicTime { open.map { $0.begunAt + Self.requestLimit } ?? notBefore }

    /// Messages are about to leave.
    /// - Returns: how many of them may: as many as there are permits for, the oldest permits first. They are used up.
    public mutating func messagesLeave(_ wanted: Int, now: MonotonicTime) -> Int {
        let fromOlder = min(max(0, wanted), older.count(at: now))
        let fromNewer = min(max(0, wanted) - fromOlder, newer.count(at: now))
        older.count -= fromOlder
        newer.count -= fromNewer
        return fromOlder + fromNewer
    }

    /// So many messages are there to be sent, or the time of `nextLook` has come.
    /// - Returns: a request to make; nil when there is none to make now.
    public mutating func messagesWait(_ waiting: Int, now: MonotonicTime) -> Request? {
        if let open, now >= open.begunAt + Self.requestLimit { failed(now) }
        let held = permits(now: now)
        guard open == nil, now >= notBefore, waiting > held, held <= slice / 2 else { return nil }
        requests &+= 1
        let request = Request(number: requests, count: min(slice, waiting - held))
        open = (request, now)
        return request
    }

    /// The request was answered. An answer to one that was given up is passed over.
    /// - Parameters:
    ///   - count: how many permits there are; never more than were asked for.
    ///   - wait: for how long it is of no use to ask again.
    /// - Returns: whether more messages may leave than before.
    public mutating func granted(_ number: UInt32, _ count: Int, wait: TimeInterval, now: MonotonicTime) -> Bool {
        guard let open, open.request.number == number else { return false }
        self.open = nil
        failures = 0
        let granted = min(max(0, count), open.request.count)
        notBefore = now + min(granted > 0 ? wait : max(wait, Self.shortestWait), Self.longestWait)
        if granted > 0 { keep(granted, now) }
        return granted > 0
    }

    /// The request could not be made, or nobody can say.
    public mutating func requestFailed(_ number: UInt32, now: MonotonicTime) {
        if open?.request.number == number { failed(now) }
    }

    /// FCM says that the quota is used up: nothing leaves for so long, `longestWait` at most. The request under way is
    /// given up.
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
            // Rare, after answers with few permits: these are lost as early as those that are there.
            newer.count += count
        }
    }
}
