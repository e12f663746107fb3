import Glibc
import NIOCore

/// A body that comes in pieces, in one piece of memory, of which a share is taken as it comes. For one task or event
/// loop at a time.
///
/// What is short has all its room with its first piece. For what may be long addresses are set aside, and pages become
/// resident as they are written: it never moves, there are never two copies of it, and what it took is the system's
/// again as soon as it goes. The allocator would keep it for seconds, apart for each thread that has asked for some.
final class BodyMemory {
    /// A body that cannot become longer than that is short, in bytes.
    static let short = 16 * 1024
    /// What is long takes shares of so many bytes.
    static let step = 16 * 1024

    /// How long the body can become.
    let capacity: Int
    /// How much of it has come.
    private(set) var count = 0
    private let share: Share
    private var room: [UInt8] = []
    private var pages: UnsafeMutableRawPointer?

    /// Takes nothing yet.
    /// - Parameters:
    ///   - announced: how long it will be; nil when that is not known.
    ///   - most: how long it can be at most.
    init(announced: Int?, most: Int, share: Share) {
        capacity = max(0, min(announced ?? most, most))
        self.share = share
    }

    deinit { unmap() }

    /// Adds what has come, which must fit. False when there is no memory for it; then nothing is added.
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

    /// All that has come. Afterwards there is nothing.
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

    /// Nil when the process may have no more mappings.
    private func map() -> UnsafeMutableRawPointer? {
        let start = mmap(
            nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start, start != MAP_FAILED else { return nil }
        // A huge page would be resident as a whole with its first byte.
        madvise(start, capacity, MADV_NOHUGEPAGE)
        return start
    }

    private func unmap() {
        if let pages { munmap(pages, capacity) }
        pages = nil
    }
}
