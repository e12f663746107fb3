import FlatMemory

/// A request whose body is not sent to its end, because a window ran short.
struct UnfinishedBody: BitwiseCopyable {
    var stream: UInt32
    var sent: Int
    /// What the peer allows on the stream; below zero after it has shrunk its initial window.
    var window: Int
}

/// The bodies that wait for a window, in the order in which their streams were opened.
struct UnfinishedBodies: ~Copyable {
    private var records = PlainBuffer<UnfinishedBody>()
    /// By place: a template may be replaced while a body of it waits.
    private var bodies: [HTTP2RequestBody?] = []
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

    func body(of place: UInt32) -> HTTP2RequestBody? { bodies[Int(place)] }

    mutating func append(_ record: UnfinishedBody, _ body: HTTP2RequestBody?) -> UInt32 {
        let place = free.popLast() ?? UInt32(records.count)
        if Int(place) == records.count {
            records.append(record)
            bodies.append(body)
        } else {
            records[Int(place)] = record
            bodies[Int(place)] = body
        }
        order.append(place)
        return place
    }

    mutating func remove(_ place: UInt32) {
        order.remove(place)
        free.append(place)
        bodies[Int(place)] = nil
    }
}
