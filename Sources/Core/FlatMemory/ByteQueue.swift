/// A queue of bytes in contiguous memory: written at the end, read at the front. It grows as needed; the writer bounds
/// it.
public struct ByteQueue: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    /// - Parameter capacity: The initial capacity in bytes.
    @inlinable
    public init(capacity: Int = 16_384) {
        base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    @inlinable
    deinit {
        base.deallocate()
    }

    /// The number of bytes in the queue.
    @inlinable
    public var count: Int { end - start }

    /// All bytes; valid until the next change.
    @inlinable
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

    /// Extends the queue by `size` bytes and returns their address. Write all of them at once.
    @inlinable
    @inline(__always)
    public mutating func extend(by size: Int) -> UnsafeMutableRawPointer {
        if end + size > capacity { makeRoom(size) }
        let place = base + end
        end += size
        return place
    }

    /// Appends a copy of `count` bytes.
    @inlinable
    public mutating func append(_ source: UnsafeRawPointer, count: Int) {
        extend(by: count).copyMemory(from: source, byteCount: count)
    }

    /// Drops the first `size` bytes.
    @inlinable
    public mutating func taken(_ size: Int) {
        precondition(size >= 0 && size <= count)
        start += size
        if start == end {
            start = 0
            end = 0
        }
    }

    @usableFromInline
    mutating func makeRoom(_ size: Int) {
        let needed = count + size
        if needed <= capacity / 2 {
            base.copyMemory(from: base + start, byteCount: count)
        } else {
            let larger = max(capacity * 2, needed)
            let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            memory.copyMemory(from: base + start, byteCount: count)
            base.deallocate()
            base = memory
            capacity = larger
        }
        end -= start
        start = 0
    }
}
