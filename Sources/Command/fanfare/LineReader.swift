import Foundation

/// The lines of a file one after another, in constant memory.
struct LineReader {
    /// A longer line is no record; it ends the reading.
    static let maximumLine = 1 << 20

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// Bytes read so far, of which `size` are in the file.
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
            throw CommandFailure("\(path) is a directory; name a file with a JSON object a line")
        }
        self.file = file
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// The next line without its end; nil after the last.
    mutating func next() throws -> [UInt8]? {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return Array(buffer[position..<end])
            }
            if isAtEnd {
                defer { position = buffer.count }
                return position < buffer.count ? Array(buffer[position...]) : nil
            }
            guard buffer.count - position <= LineReader.maximumLine else {
                throw CommandFailure("a line is longer than \(LineReader.maximumLine) bytes")
            }
            buffer.removeSubrange(..<position)
            position = 0
            let chunk = try file.read(upToCount: 1 << 18) ?? Data()
            isAtEnd = chunk.isEmpty
            bytesRead += chunk.count
            buffer += chunk
        }
    }
}
