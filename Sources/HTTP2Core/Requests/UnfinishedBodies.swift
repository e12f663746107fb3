import FlatMemory

/// A request whose body is not sent to its end, because a window ran short.
struct UnfinishedBody: BitwiseCopyable {
    var stream: UInt32
    var template: UInt32
    var sent: Int
    /// What the peer allows on the stream; below zero after it has shrunk its initial window.
    var window: Int
}

/// The bodies that wait for a window, in the order in which their streams were opened.
struct UnfinishedBodies: ~Copyable {
    private var records = PlainBuffer<UnfinishedBody>()
    private var free = PlainBuffer<UInt32>()
    private var order = SlotList()

    var count: Int { order.count }
    /// The place of the one that has waited longest, or `SlotList.none`.
    var first: UInt32 { order.first }

    func next(after place: UInt32) -> UInt32 { order.next(after: place) }

    subscript(place: UInt32) -> UnfinishedBody {
        get { records[Int(place)] }
        _modify { yield &records[Int(place)] }
    }

    mutating func append(_ body: UnfinishedBody) -> UInt32 {
        let place = free.popLast() ?? UInt32(records.count)
        if Int(place) == records.count { records.append(body) } else { records[Int(place)] = body }
        order.append(place)
        return place
    }

    mutating func remove(_ place: UInt32) {
        order.remove(place)
        free.append(place)
    }
}
