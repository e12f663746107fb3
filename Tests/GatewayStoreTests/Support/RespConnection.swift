import Foundation

/// A blocking connection of a test that speaks RESP.
struct RespConnection: @unchecked Sendable {
    struct Closed: Error {}

    enum Value: Equatable, Sendable {
        case bytes([UInt8])
        case int(Int)
        case array([Value])
        /// A status or an error, with its mark.
        case line(String)
        case null

        var array: [Value]? { if case .array(let values) = self { values } else { nil } }
        var int: Int? { if case .int(let number) = self { number } else { nil } }
        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

        /// Text without control characters.
        var described: String {
            switch self {
            case .bytes(let bytes):
                bytes.map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "\\\($0)" }.joined()
            case .int(let number): "\(number)"
            case .array(let values): "\(values.map(\.described))"
            case .line(let line): line
            case .null: "null"
            }
        }
    }

    struct Message {
        let raw: [UInt8]
        let value: Value
        var isError: Bool { raw.first == UInt8(ascii: "-") }
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    init(to path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.with(path, { connect(descriptor, $0, $1) }) == 0 else { throw Closed() }
    }

    static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard with(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 64) == 0 else { throw Closed() }
        return descriptor
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    func end() { close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Closed() }
            sent += count
        }
    }

    @discardableResult
    mutating func ask(_ words: String...) throws -> Message { try ask(words.map { Array($0.utf8) }) }

    @discardableResult
    mutating func ask(_ words: [[UInt8]]) throws -> Message {
        var command = Array("*\(words.count)\r\n".utf8)
        for word in words { command += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
        return try ask(command)
    }

    mutating func ask(_ command: [UInt8]) throws -> Message {
        try send(command)
        return try read()
    }

    mutating func read() throws -> Message {
        var end = 0
        let value = try parse(&end)
        let raw = Array(buffer[..<end])
        buffer.removeFirst(end)
        return Message(raw: raw, value: value)
    }

    private mutating func parse(_ at: inout Int) throws -> Value {
        let line = try line(&at)
        let number = Int(line.dropFirst()) ?? 0
        switch line.first {
        case "$", "=", "!":
            guard number >= 0 else { return .null }
            while buffer.count < at + number + 2 { try receive() }
            defer { at += number + 2 }
            return .bytes(Array(buffer[at..<(at + number)]))
        case "*", "~", ">", "%":
            guard number >= 0 else { return .null }
            var values: [Value] = []
            for _ in 0..<(line.first == "%" ? 2 * number : number) { values.append(try parse(&at)) }
            return .array(values)
        case ":": return .int(number)
        case "_": return .null
        default: return .line(line)
        }
    }

    private mutating func line(_ at: inout Int) throws -> String {
        var from = at
        while true {
            if let end = buffer[from...].firstIndex(of: 13), end + 1 < buffer.count {
                defer { at = end + 2 }
                return String(decoding: buffer[at..<end], as: UTF8.self)
            }
            from = max(at, buffer.count - 1)
            try receive()
        }
    }

    private mutating func receive() throws {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = piece.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw Closed() }
        buffer += piece[..<count]
    }
}
