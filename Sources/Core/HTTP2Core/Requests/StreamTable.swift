import FlatMemory

/// An open stream (RFC 9113, section 5.1), as plain values.
struct StreamRecord: BitwiseCopyable {
    /// 0 for a free place.
    var identifier: UInt32 = 0
    /// The owner's number for the push.
    var tag: UInt32 = 0
    /// The place in the list of unfinished bodies, or `StreamRecord.sent`.
    var body = StreamRecord.sent
    /// The received bytes of the answer's body, and the number that `content-length` declares.
    var received: UInt32 = 0
    var promised = StreamRecord.open
    /// The final status in the lower half, and flags above it, so that one comparison covers both.
    private var answer: UInt32 = 0

    static let sent = UInt32.max
    static let open = UInt32.max

    init() {}

    init(identifier: UInt32, tag: UInt32) {
        self.identifier = identifier
        self.tag = tag
    }

    private static let detailsMark: UInt32 = 1 << 16

    /// True if no part of the answer has arrived, and only its status is requested.
    @inline(__always)
    var awaitsStatusAlone: Bool { answer == 0 }

    /// 0 until the final status arrives.
    var status: UInt16 {
        get { UInt16(truncatingIfNeeded: answer) }
        set { answer = answer & ~0xFFFF | UInt32(newValue) }
    }

    /// True if the answer has details.
    var hasDetails: Bool {
        get { answer & StreamRecord.detailsMark != 0 }
        set { answer = newValue ? answer | StreamRecord.detailsMark : answer & ~StreamRecord.detailsMark }
    }

    /// True if the status is 2xx, which accepts the request (RFC 9110, section 15.3).
    var isAccepted: Bool { (200..<300).contains(status) }
}

/// The open streams by identifier, in flat memory.
///
/// Identifiers rise by two, so a ring has adjacent places for them. A stream that is still open after a full turn of
/// the ring moves to the stragglers. These are few: at most the streams that stay unanswered during a whole turn.
struct StreamTable: ~Copyable {
    private var ring: UnsafeMutablePointer<StreamRecord>
    private var mask: Int
    private var stragglers = PlainBuffer<StreamRecord>()
    private(set) var count = 0

    init() {
        ring = .allocate(capacity: 256)
        ring.initialize(repeating: StreamRecord(), count: 256)
        mask = 255
    }

    deinit {
        ring.deallocate()
    }

    /// Returns the place of a stream; nil if it is not open. Valid until the next change of the table.
    @inline(__always)
    func find(_ identifier: UInt32) -> Int? {
        let place = Int(identifier >> 1) & mask
        if ring[place].identifier == identifier, identifier != 0 { return place }
        return stragglers.isEmpty ? nil : findStraggler(identifier)
    }

    subscript(place: Int) -> StreamRecord {
        @inline(__always) get { place <= mask ? ring[place] : stragglers[place - mask - 1] }
        @inline(__always) _modify {
            if place <= mask { yield &ring[place] } else { yield &stragglers[place - mask - 1] }
        }
    }

    /// Inserts a stream and returns its place. Its identifier must be higher than all earlier ones.
    @inline(__always)
    mutating func insert(_ record: StreamRecord) -> Int {
        if (count + 1) * 2 > mask { grow() }
        count += 1
        let place = Int(record.identifier >> 1) & mask
        if ring[place].identifier != 0 { stragglers.append(ring[place]) }
        ring[place] = record
        return place
    }

    @inline(__always)
    mutating func remove(at place: Int) {
        count -= 1
        if place <= mask { ring[place].identifier = 0 } else { removeStraggler(place - mask - 1) }
    }

    /// The identifiers that satisfy `isIncluded`, in ascending order.
    func identifiers(where isIncluded: (UInt32) -> Bool) -> [UInt32] {
        var found: [UInt32] = []
        for place in 0...mask {
            let identifier = ring[place].identifier
            if identifier != 0, isIncluded(identifier) { found.append(identifier) }
        }
        for record in stragglers.all where isIncluded(record.identifier) { found.append(record.identifier) }
        return found.sorted()
    }

    private func findStraggler(_ identifier: UInt32) -> Int? {
        stragglers.all.firstIndex { $0.identifier == identifier }.map { mask + 1 + $0 }
    }

    private mutating func removeStraggler(_ index: Int) {
        guard let last = stragglers.popLast(), index < stragglers.count else { return }
        stragglers[index] = last
    }

    private mutating func grow() {
        let old = ring
        let oldCount = mask + 1
        mask = oldCount * 2 - 1
        ring = .allocate(capacity: oldCount * 2)
        ring.initialize(repeating: StreamRecord(), count: oldCount * 2)
        for place in 0..<oldCount where old[place].identifier != 0 {
            // Streams with different old places have different new places.
            ring[Int(old[place].identifier >> 1) & mask] = old[place]
        }
        old.deallocate()
    }
}
