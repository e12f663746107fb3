import FlatMemory
import TimeCore

/// A push in progress.
struct PushRecord: BitwiseCopyable {
    var tag: UInt64
    /// The deadline on the monotonic clock.
    var deadlineNanoseconds: UInt64
    /// Rises with each accepted push. Pushes that lost their streams are sent again in this order.
    var sequence: UInt64
    var slot: UInt32
    /// The index of its template and receiver.
    var source: UInt32
    /// The stream's handle, while on a connection.
    var stream: UInt32 = 0
    /// The epoch of its authorization.
    var epoch: UInt32 = 0
    /// The time of the hand-over to the connection; see `clock`.
    var sentAt: UInt32 = 0
    /// The connection's slot, or `waiting`.
    var connection: Int32 = PushRecord.waiting
    /// The slot and generation of the connection that rejected it, while a second one is tried.
    var rejectedBy: Int32 = PushRecord.nobody
    var rejectedGeneration: UInt32 = 0
    var refusals: UInt16 = 0
    var tokenLength: UInt16
    var isInUse = true
    /// True if it uses the connection for suspects.
    var isSuspect = false

    static let waiting: Int32 = -1
    static let nobody: Int32 = -1

    /// A time in units of 1,024 ns. It overflows after 73 minutes, longer than any push takes.
    @inline(__always)
    static func clock(_ time: MonotonicTime) -> UInt32 { UInt32(truncatingIfNeeded: time.nanoseconds >> 10) }

    /// True if the push was handed to its connection before a moment of the last half hour.
    func isSent(before moment: UInt32) -> Bool { Int32(bitPattern: moment &- sentAt) > 0 }

    /// The time since the hand-over to the connection, in nanoseconds.
    @inline(__always)
    func underWay(_ now: UInt32) -> UInt64 { UInt64(now &- sentAt) << 10 }
}

/// The pushes in progress: records and tokens in flat memory, a list by deadline, and the queue for streams. All pushes
/// have an equal time limit, so deadlines have the order of arrival.
///
/// Its size is the maximum of simultaneous pushes so far, bounded by the streams of all connections and the queue.
struct PushTable: ~Copyable {
    /// The maximum length of a token in bytes.
    let longestToken: Int

    private(set) var records = PlainBuffer<PushRecord>()
    /// The tokens' bytes: each record has room for the longest.
    private var tokens = PlainBuffer<UInt8>()
    private var noToken = PlainBuffer<UInt8>()
    private var free = PlainBuffer<UInt32>()
    private var byDeadline = SlotList()
    private var queue = SlotList()
    private var suspects = SlotList()
    private var nextSequence: UInt64 = 0

    init(longestToken: Int) {
        self.longestToken = longestToken
        for _ in 0..<longestToken { noToken.append(0) }
    }

    var count: Int { byDeadline.count }
    /// The numbers of pushes that wait for a stream: ordinary ones, and those to suspect tokens.
    var waitingCount: Int { queue.count }
    var waitingSuspectCount: Int { suspects.count }

    /// The push with the earliest deadline.
    var firstDeadline: (index: UInt32, deadline: MonotonicTime)? {
        let index = byDeadline.first
        guard index != SlotList.none else { return nil }
        return (index, MonotonicTime(nanoseconds: records[Int(index)].deadlineNanoseconds))
    }

    /// The push that has waited longest for a stream of this kind.
    @inline(__always)
    func firstWaiting(isSuspect: Bool) -> UInt32? {
        let first = isSuspect ? suspects.first : queue.first
        return first == SlotList.none ? nil : first
    }

    /// Adds a push at the end of the queue. The token has at most `longestToken` bytes.
    mutating func insert(
        tag: UInt64, slot: UInt32, source: UInt32, deadline: MonotonicTime, token: UnsafeRawBufferPointer,
        isSuspect: Bool
    ) {
        var record = PushRecord(
            tag: tag, deadlineNanoseconds: deadline.nanoseconds, sequence: nextSequence, slot: slot, source: source,
            tokenLength: UInt16(truncatingIfNeeded: token.count))
        record.isSuspect = isSuspect
        nextSequence += 1
        let index = free.popLast() ?? UInt32(records.count)
        if Int(index) == records.count {
            records.append(record)
            tokens.append(contentsOf: noToken.all)
        } else {
            records[Int(index)] = record
        }
        precondition(token.count <= longestToken)
        if let source = token.baseAddress {
            UnsafeMutableRawPointer(mutating: place(ofToken: index)).copyMemory(from: source, byteCount: token.count)
        }
        byDeadline.append(index)
        if isSuspect { suspects.append(index) } else { queue.append(index) }
    }

    /// The token, at an address that is valid until the next `insert`.
    func token(_ index: UInt32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: place(ofToken: index), count: Int(records[Int(index)].tokenLength))
    }

    @inline(__always)
    private func place(ofToken index: UInt32) -> UnsafeRawPointer {
        UnsafeRawPointer(tokens.all.baseAddress.unsafelyUnwrapped) + Int(index) * longestToken
    }

    /// Records that the push got a stream.
    @inline(__always)
    mutating func placed(_ index: UInt32, connection: Int, stream: UInt32, epoch: UInt32, sentAt: UInt32) {
        removeWaiting(index)
        records[Int(index)].connection = Int32(truncatingIfNeeded: connection)
        records[Int(index)].stream = stream
        records[Int(index)].epoch = epoch
        records[Int(index)].sentAt = sentAt
    }

    /// Requeues a push before all others, after it lost its stream with its connection or the limit.
    mutating func displaced(_ index: UInt32) {
        records[Int(index)].connection = PushRecord.waiting
        if records[Int(index)].isSuspect { suspects.prepend(index) } else { queue.prepend(index) }
    }

    /// Requeues a push behind all others.
    mutating func requeued(_ index: UInt32) {
        records[Int(index)].connection = PushRecord.waiting
        if records[Int(index)].isSuspect { suspects.append(index) } else { queue.append(index) }
    }

    /// Requeues a rejected push for another connection: that for suspects, or any other one.
    mutating func doubted(_ index: UInt32, slot: Int, generation: UInt32, asSuspect: Bool) {
        records[Int(index)].rejectedBy = Int32(truncatingIfNeeded: slot)
        records[Int(index)].rejectedGeneration = generation
        records[Int(index)].isSuspect = asSuspect
        requeued(index)
    }

    @inline(__always)
    private mutating func removeWaiting(_ index: UInt32) {
        if records[Int(index)].isSuspect { suspects.remove(index) } else { queue.remove(index) }
    }

    /// Counts a refused stream on a connection that continues.
    mutating func refused(_ index: UInt32) {
        if records[Int(index)].refusals < .max { records[Int(index)].refusals += 1 }
    }

    mutating func remove(_ index: UInt32) {
        if records[Int(index)].connection == PushRecord.waiting { removeWaiting(index) }
        byDeadline.remove(index)
        records[Int(index)].isInUse = false
        free.append(index)
    }
}
