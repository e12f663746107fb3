import Foundation

/// Reads the lines of a file in constant memory.
struct LineReader {
    /// The maximum length of a line in bytes. A longer one ends the reading with an error.
    static let maximumLine = 1 << 20

    /// The timeout of a poll in milliseconds, after which signals are checked.
    private static let patience: Int32 = 200

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// Bytes read so far, out of `size`.
    private(set) var bytesRead = 0
    let size: Int

    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandFailure("\(path) is a directory; name a file with one JSON object a line")
        }
        self.file = file
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Returns the next line without its line feed; nil after the last.
    /// - Parameter number: The number of the line, for errors.
    mutating func next(_ number: Int) throws -> [UInt8]? {
        while true {
            if let end = nextEnd() {
                defer { position = end + 1 }
                return Array(buffer[position..<end])
            }
            if isAtEnd {
                defer { position = buffer.count }
                return position < buffer.count ? Array(buffer[position...]) : nil
            }
            guard buffer.count - position <= LineReader.maximumLine else {
                throw CommandFailure("line \(number): the line is longer than \(LineReader.maximumLine) bytes")
            }
            buffer.removeSubrange(..<position)
            position = 0
            try waitForMore()
            let chunk = try readSome()
            isAtEnd = chunk.isEmpty
            bytesRead += chunk.count
            buffer += chunk
        }
    }

    /// Returns the position of the next line feed. `memchr` compares many bytes at a time.
    private func nextEnd() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let end = memchr(start + position, Int32(UInt8(ascii: "\n")), bytes.count - position)
            else { return nil }
            return UnsafeRawPointer(end) - start
        }
    }

    /// Reads available bytes. A pipe may have few.
    private func readSome() throws -> [UInt8] {
        let most = 1 << 18
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            let result = read(file.fileDescriptor, buffer.baseAddress, most)
            failure = result < 0 ? errno : 0
            count = max(0, result)
        }
        guard failure == 0 else { throw CommandFailure("reading failed: \(String(cString: strerror(failure)))") }
        return bytes
    }

    /// Waits for bytes, and checks for signals while a pipe is silent.
    private func waitForMore() throws {
        var reading = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
        repeat { try Interruption.check() } while poll(&reading, 1, LineReader.patience) == 0
    }
}
