import Glibc
import NIOCore

/// A body that arrives in pieces, in one block of memory that a share pays for. For one thread at a time.
///
/// A short body gets all its memory with its first piece. A long one gets a mapping, whose pages become resident as
/// they are written. It never moves or needs a second copy, and its memory returns to the system at once. The allocator
/// would keep it for seconds, separately for each thread.
final class BodyMemory {
    /// The longest body that counts as short, in bytes.
    static let short = 16 * 1024
    /// The step by which a long body's share grows, in bytes.
    static let step = 16 * 1024

    /// The maximum length of the body, in bytes.
    let capacity: Int
    /// The number of bytes received.
    private(set) var count = 0
    private let share: Share
    private var room: [UInt8] = []
    private var pages: UnsafeMutableRawPointer?

    /// Takes nothing yet.
    /// - Parameters:
    ///   - announced: The announced length in bytes; nil if unknown.
    ///   - most: The maximum length in bytes.
    init(announced: Int?, most: Int, share: Share) {
        capacity = max(0, min(announced ?? most, most))
        self.share = share
    }

    deinit { unmap() }

    /// Adds a piece, which must fit. False if there is no memory for it; then nothing is added.
    func append(_ piece: ByteBuffer) -> Bool {
        let end = count + piece.readableBytes
        precondition(end <= capacity)
        guard end > count else { return true }
        if capacity <= BodyMemory.short {
            guard share.grow(to: capacity) else { return false }
            if room.isEmpty { room.reserveCapacity(capacity) }
            room.append(contentsOf: piece.readableBytesView)
        } else {
            let wanted = (end + BodyMemory.step - 1) / BodyMemory.step * BodyMemory.step
            guard share.grow(to: min(wanted, capacity)), let start = pages ?? map() else { return false }
            pages = start
            BodyMemory.copy(piece, to: start + count)
        }
        count = end
        return true
    }

    /// Returns the body, and leaves nothing.
    func take() -> [UInt8] {
        defer {
            count = 0
            room = []
            unmap()
        }
        guard let pages else { return room }
        return [UInt8](UnsafeRawBufferPointer(start: pages, count: count))
    }

    private static func copy(_ piece: ByteBuffer, to place: UnsafeMutableRawPointer) {
        piece.withUnsafeReadableBytes { bytes in
            if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
        }
    }

    /// Maps memory; nil if the process has the maximum of mappings.
    private func map() -> UnsafeMutableRawPointer? {
        let start = mmap(
            nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start, start != MAP_FAILED else { return nil }
        // A huge page would become resident as a whole with its first byte.
        madvise(start, capacity, MADV_NOHUGEPAGE)
        return start
    }

    private func unmap() {
        if let pages { munmap(pages, capacity) }
        pages = nil
    }
}
