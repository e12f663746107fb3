/// A growing buffer of plain values. Unlike an array in a class, it has no uniqueness and exclusivity checks at each
/// access. It cannot be copied.
public struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// The number of elements.
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

    /// True if the buffer has no elements.
    @inlinable
    public var isEmpty: Bool { used == 0 }

    /// All elements; valid until the next change.
    @inlinable
    public var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: used) }

    /// Appends an element.
    @inlinable
    public mutating func append(_ element: Element) {
        if used == capacity { grow(atLeast: used + 1) }
        base.unsafelyUnwrapped[used] = element
        used += 1
    }

    /// Appends copies of all elements.
    @inlinable
    public mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress, !elements.isEmpty else { return }
        if used + elements.count > capacity { grow(atLeast: used + elements.count) }
        (base.unsafelyUnwrapped + used).update(from: source, count: elements.count)
        used += elements.count
    }

    /// Removes and returns the last element; nil if the buffer is empty.
    @inlinable
    public mutating func popLast() -> Element? {
        guard used > 0 else { return nil }
        used -= 1
        return base.unsafelyUnwrapped[used]
    }

    /// Removes all elements but keeps the memory.
    @inlinable
    public mutating func removeAll() {
        used = 0
    }

    /// The element at a valid index.
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
