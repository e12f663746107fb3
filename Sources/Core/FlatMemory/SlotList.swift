/// A doubly linked list of table slots, with its links in one flat piece of memory. All operations take constant time.
public struct SlotList: ~Copyable {
    /// The value that represents no slot.
    @inlinable
    public static var none: UInt32 { .max }

    @usableFromInline
    struct Link: BitwiseCopyable {
        @usableFromInline var previous: UInt32
        @usableFromInline var next: UInt32

        @inlinable
        init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
        }
    }

    @usableFromInline var head = SlotList.none
    @usableFromInline var tail = SlotList.none
    @usableFromInline var length = 0
    @usableFromInline var links = PlainBuffer<Link>()

    @inlinable
    public init() {}

    /// The slot at the front, or `none`.
    @inlinable
    public var first: UInt32 { head }

    /// The number of slots in the list.
    @inlinable
    public var count: Int { length }

    /// The slot behind this one, or `none`. The slot must be in the list.
    @inlinable
    public func next(after slot: UInt32) -> UInt32 { links[Int(slot)].next }

    /// Appends a slot that is in no list.
    @inlinable
    public mutating func append(_ slot: UInt32) {
        makeRoom(slot)
        links[Int(slot)] = Link(previous: tail, next: SlotList.none)
        if tail == SlotList.none { head = slot } else { links[Int(tail)].next = slot }
        tail = slot
        length += 1
    }

    /// Prepends a slot that is in no list.
    @inlinable
    public mutating func prepend(_ slot: UInt32) {
        makeRoom(slot)
        links[Int(slot)] = Link(previous: SlotList.none, next: head)
        if head == SlotList.none { tail = slot } else { links[Int(head)].previous = slot }
        head = slot
        length += 1
    }

    /// Removes a slot, which must be in the list.
    @inlinable
    public mutating func remove(_ slot: UInt32) {
        let link = links[Int(slot)]
        if link.previous == SlotList.none { head = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == SlotList.none { tail = link.previous } else { links[Int(link.next)].previous = link.previous }
        length -= 1
    }

    @inlinable
    mutating func makeRoom(_ slot: UInt32) {
        while links.count <= Int(slot) { links.append(Link(previous: SlotList.none, next: SlotList.none)) }
    }
}
