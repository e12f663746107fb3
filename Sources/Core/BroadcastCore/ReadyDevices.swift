import FlatMemory

/// The devices ready for a push, in order, as ranges of neighbouring tags.
struct ReadyDevices: ~Copyable {
    private struct Stretch: BitwiseCopyable {
        var next: UInt64
        var end: UInt64
    }

    private(set) var count = 0
    /// The tags to take next.
    private var current = Stretch(next: 0, end: 0)
    /// The tags after those, from `head` on.
    private var rest = PlainBuffer<Stretch>()
    private var head = 0
    /// Returned tags, which come first.
    private var returned = PlainBuffer<UInt64>()

    mutating func append(_ first: BroadcastCore.Tag, count added: Int) {
        rest.append(Stretch(next: first.rawValue, end: first.rawValue + UInt64(added)))
        count += added
    }

    mutating func prepend(_ tag: BroadcastCore.Tag) {
        returned.append(tag.rawValue)
        count += 1
    }

    @inline(__always)
    mutating func popFirst() -> BroadcastCore.Tag? {
        guard count > 0 else { return nil }
        count -= 1
        if returned.isEmpty, current.next < current.end {
            defer { current.next += 1 }
            return BroadcastCore.Tag(rawValue: current.next)
        }
        return popNextStretch()
    }

    private mutating func popNextStretch() -> BroadcastCore.Tag? {
        if let tag = returned.popLast() { return BroadcastCore.Tag(rawValue: tag) }
        current = rest[head]
        head += 1
        if head == rest.count {
            rest.removeAll()
            head = 0
        }
        defer { current.next += 1 }
        return BroadcastCore.Tag(rawValue: current.next)
    }
}
