/// Bytes on their way out, in one piece of memory: written at the end, taken from the front.
struct OutputBuffer: ~Copyable {
    private var base = UnsafeMutableRawPointer.allocate(byteCount: 16_384, alignment: 16)
    private var capacity = 16_384
    private var start = 0
    private var end = 0

    deinit {
        base.deallocate()
    }

    var count: Int { end - start }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

    /// Where the next `size` bytes go; they count as written.
    @inline(__always)
    mutating func extend(by size: Int) -> UnsafeMutableRawPointer {
        if end + size > capacity { makeRoom(size) }
        let place = base + end
        end += size
        return place
    }

    mutating func taken(_ size: Int) {
        precondition(size >= 0 && size <= count)
        start += size
        if start == end {
            start = 0
            end = 0
        }
    }

    private mutating func makeRoom(_ size: Int) {
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
