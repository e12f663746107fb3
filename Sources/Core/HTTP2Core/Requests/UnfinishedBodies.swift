import FlatMemory

/// A request whose body is only partly sent, because a window is exhausted.
struct UnfinishedBody: BitwiseCopyable {
    var stream: UInt32
    var sent: Int
    /// The stream's window; negative after the peer has reduced its initial window.
    var window: Int
}

/// The bodies that wait for a window, in the order of their streams.
struct UnfinishedBodies: ~Copyable {
    private var records = PlainBuffer<UnfinishedBody>()
    /// By place, because a template may be replaced while its body waits.
    private var bodies: [HTTP2RequestBody?] = []
    private var free = PlainBuffer<UInt32>()
    private var order = SlotList()

    var count: Int { order.count }
    /// The place of the oldest body, or `SlotList.none`.
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
