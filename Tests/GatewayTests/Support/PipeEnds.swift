import Glibc

/// A pipe whose read end does not block.
final class PipeEnds {
    let output: Int32
    private let input: Int32
    private var isClosed = false
    /// O_DIRECT, which Swift does not import.
    #if arch(arm64)
        private static let direct: Int32 = 0o200_000
    #else
        private static let direct: Int32 = 0o40_000
    #endif

    /// - Parameter inPieces: True if one read returns the bytes of one write.
    init(inPieces: Bool = false) {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0)
        (input, output) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        if inPieces { precondition(fcntl(output, F_SETFL, PipeEnds.direct) == 0) }
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    deinit {
        closeInput()
        close(output)
    }

    func closeInput() {
        if !isClosed { close(input) }
        isClosed = true
    }

    /// Returns the text of one read; empty if there is none.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(input, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Reads until `isEnough` holds, for about ten seconds at most.
    func readAll(until isEnough: (String) -> Bool) -> String {
        var text = ""
        for _ in 0..<10_000 {
            let next = read()
            text += next
            if next.isEmpty { usleep(1000) } else if isEnough(text) { break }
        }
        return text
    }
}
