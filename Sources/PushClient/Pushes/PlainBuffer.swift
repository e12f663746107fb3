/// A growing buffer of values without references, without the checks for uniqueness and exclusivity that an array in a
/// class makes for each access. Its owner keeps it in one place; a copy would share the memory.
struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private var base: UnsafeMutablePointer<Element>?

    deinit {
        base?.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        base.unsafelyUnwrapped[count] = element
        count += 1
    }

    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        return base.unsafelyUnwrapped[count]
    }

    mutating func removeAll() {
        count = 0
    }

    subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            return base.unsafelyUnwrapped[index]
        }
        @inline(__always) _modify {
            precondition(index >= 0 && index < count)
            yield &base.unsafelyUnwrapped[index]
        }
    }

    private mutating func grow() {
        let larger = max(64, capacity * 2)
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let base {
            memory.update(from: base, count: count)
            base.deallocate()
        }
        base = memory
        capacity = larger
    }
}
