/// A growing buffer of values without references, without the checks for uniqueness and exclusivity that an array in a
/// class makes for each access. Its owner keeps it in one place; it cannot be copied.
public struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// How many elements there are.
    @inlinable
    public var count: Int { used }

    @usableFromInline var used = 0
    @usableFromInline var capacity = 0
    @usableFromInline var base: UnsafeMutablePointer<Element>?

    @inlinable
    public init() {}

    @inlinable
    deinit {
        base?.deallocate()
    }

    /// Whether there is no element.
    @inlinable
    public var isEmpty: Bool { used == 0 }

    /// All elements; valid until the next change.
    @inlinable
    public var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: used) }

    /// Adds one at the end.
    @inlinable
    public mutating func append(_ element: Element) {
        if used == capacity { grow(atLeast: used + 1) }
        base.unsafelyUnwrapped[used] = element
        used += 1
    }

    /// Adds copies of all at the end.
    @inlinable
    public mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress, !elements.isEmpty else { return }
        if used + elements.count > capacity { grow(atLeast: used + elements.count) }
        (base.unsafelyUnwrapped + used).update(from: source, count: elements.count)
        used += elements.count
    }

    /// Takes the last one off; nil when there is none.
    @inlinable
    public mutating func popLast() -> Element? {
        guard used > 0 else { return nil }
        used -= 1
        return base.unsafelyUnwrapped[used]
    }

    /// Keeps the memory.
    @inlinable
    public mutating func removeAll() {
        used = 0
    }

    /// The element at an index, which must be one.
    @inlinable
    public subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < used)
            return base.unsafelyUnwrapped[index]
        }
        @inline(__always) _modify {
            precondition(index >= 0 && index < used)
            yield &base.unsafelyUnwrapped[index]
        }
    }

    @usableFromInline
    mutating func grow(atLeast least: Int) {
        let larger = max(64, capacity * 2, least)
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let base {
            memory.update(from: base, count: used)
            base.deallocate()
        }
        base = memory
        capacity = larger
    }
}
