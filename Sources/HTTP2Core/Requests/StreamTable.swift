/// A stream that is open (RFC 9113, section 5.1), as plain values.
struct StreamRecord: BitwiseCopyable {
    /// 0 for a free place.
    var identifier: UInt32 = 0
    /// The owner's number for the push.
    var tag: UInt32 = 0
    /// The place in the list of unfinished bodies, or `StreamRecord.sent`.
    var body = StreamRecord.sent
    /// Bytes of the answer's body so far, and those that `content-length` has promised.
    var received: UInt32 = 0
    var promised = StreamRecord.open
    /// 0 until the final status has come.
    var status: UInt16 = 0
    var hasDetails = false

    static let sent = UInt32.max
    static let open = UInt32.max

    init() {}

    init(identifier: UInt32, tag: UInt32) {
        self.identifier = identifier
        self.tag = tag
    }
}

/// The open streams by identifier: open addressing in flat memory.
///
/// Places are spread by Fibonacci hashing. Identifiers rise by two; in their own order they would lie side by side, and
/// each removal would have to look at all those behind it.
struct StreamTable: ~Copyable {
    private var places: UnsafeMutablePointer<StreamRecord>
    private var mask: Int
    /// How far a product is shifted to give a place.
    private var shift: UInt32
    private(set) var count = 0

    init() {
        places = .allocate(capacity: 256)
        places.initialize(repeating: StreamRecord(), count: 256)
        mask = 255
        shift = 32 - 8
    }

    deinit {
        places.deallocate()
    }

    /// Where the stream is; nil when it is not open. Valid until the next change of the table.
    @inline(__always)
    func find(_ identifier: UInt32) -> Int? {
        var place = home(identifier)
        while true {
            let found = places[place].identifier
            if found == identifier { return place }
            if found == 0 { return nil }
            place = (place + 1) & mask
        }
    }

    subscript(place: Int) -> StreamRecord {
        @inline(__always) get { places[place & mask] }
        @inline(__always) _modify { yield &places[place & mask] }
    }

    /// The stream must not be in the table.
    @inline(__always)
    mutating func insert(_ record: StreamRecord) -> Int {
        if (count + 1) * 2 > mask { grow() }
        count += 1
        return put(record)
    }

    @inline(__always)
    mutating func remove(at place: Int) {
        count -= 1
        // Those behind that would not be found across the gap move up.
        var gap = place
        var next = (place + 1) & mask
        while places[next].identifier != 0 {
            let home = home(places[next].identifier)
            if (next - home) & mask >= (next - gap) & mask {
                places[gap] = places[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        places[gap].identifier = 0
    }

    /// The identifiers of all streams that `isIncluded` lets pass, from the lowest up.
    func identifiers(where isIncluded: (UInt32) -> Bool) -> [UInt32] {
        var found: [UInt32] = []
        for place in 0...mask {
            let identifier = places[place].identifier
            if identifier != 0, isIncluded(identifier) { found.append(identifier) }
        }
        return found.sorted()
    }

    @inline(__always)
    private func home(_ identifier: UInt32) -> Int {
        Int(((identifier >> 1) &* 0x9E37_79B1) >> shift)
    }

    private func put(_ record: StreamRecord) -> Int {
        var place = home(record.identifier)
        while places[place].identifier != 0 { place = (place + 1) & mask }
        places[place] = record
        return place
    }

    private mutating func grow() {
        let old = places
        let oldCount = mask + 1
        mask = oldCount * 2 - 1
        shift -= 1
        places = .allocate(capacity: oldCount * 2)
        places.initialize(repeating: StreamRecord(), count: oldCount * 2)
        for place in 0..<oldCount where old[place].identifier != 0 { _ = put(old[place]) }
        old.deallocate()
    }
}
