import TLS

/// Gathers frames to be encrypted together. A client has one, since it writes to one connection at a time.
final class OutputBatch {
    /// A batch is sent when it has reached this.
    private static let target = 65_536
    /// No frame that a session gives out in one piece is longer.
    private static let longestPiece = 32_768

    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: OutputBatch.target + OutputBatch.longestPiece, alignment: 16)
    private var count = 0

    deinit {
        memory.deallocate()
    }

    var isFull: Bool { count >= OutputBatch.target }

    func append(_ piece: UnsafeRawBufferPointer) {
        let room = memory.count - count
        precondition(piece.count <= room, "a frame of \(piece.count) bytes")
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: piece)
        count += piece.count
    }

    /// False when the connection takes nothing any more.
    func send(to connection: TLSConnection) -> Bool {
        defer { count = 0 }
        guard count > 0 else { return true }
        return connection.send(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}
