/// A doubly linked list of table slots, with its links in one flat piece of memory: joining, leaving and looking at
/// the ends cost the same however long it is.
struct SlotList: ~Copyable {
    static let none = UInt32.max

    private struct Link: BitwiseCopyable {
        var previous = SlotList.none
        var next = SlotList.none
    }

    private(set) var first = SlotList.none
    private(set) var last = SlotList.none
    private(set) var count = 0
    private var links = PlainBuffer<Link>()

    mutating func append(_ slot: UInt32) {
        makeRoom(slot)
        links[Int(slot)] = Link(previous: last, next: SlotList.none)
        if last == SlotList.none { first = slot } else { links[Int(last)].next = slot }
        last = slot
        count += 1
    }

    mutating func prepend(_ slot: UInt32) {
        makeRoom(slot)
        links[Int(slot)] = Link(previous: SlotList.none, next: first)
        if first == SlotList.none { last = slot } else { links[Int(first)].previous = slot }
        first = slot
        count += 1
    }

    /// The slot must be in the list.
    mutating func remove(_ slot: UInt32) {
        let link = links[Int(slot)]
        if link.previous == SlotList.none { first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == SlotList.none { last = link.previous } else { links[Int(link.next)].previous = link.previous }
        count -= 1
    }

    private mutating func makeRoom(_ slot: UInt32) {
        while links.count <= Int(slot) { links.append(Link()) }
    }
}
