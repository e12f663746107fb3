/// Encodes a command in RESP, argument by argument, into one buffer. Use it if the number of arguments is known only at
/// run time:
///
///     var builder = RedisCommandBuilder("DEL")
///     for key in keys { builder.append(key) }
///     let command = builder.finish()
public struct RedisCommandBuilder: Sendable {
    /// Room for `*<count>\r\n`, which is written after all arguments.
    static let headroom = 16

    private var buffer: [UInt8]
    private(set) var argumentCount = 0
    private let changesProtocol: Bool

    /// - Parameter byteCountHint: The approximate size of all arguments in bytes.
    public init(_ name: String, byteCountHint: Int = 48) {
        buffer = []
        buffer.reserveCapacity(RedisCommandBuilder.headroom + name.utf8.count + byteCountHint + 16)
        buffer.append(contentsOf: repeatElement(0, count: RedisCommandBuilder.headroom))
        changesProtocol = ProtocolChange.isCaused(by: name)
        append(name)
    }

    /// Continues a copy of another builder.
    /// - Parameter byteCountHint: The approximate size of the further arguments in bytes.
    public init(copying begun: RedisCommandBuilder, byteCountHint: Int) {
        buffer = []
        buffer.reserveCapacity(begun.buffer.count + byteCountHint + 16)
        buffer.append(contentsOf: begun.buffer)
        argumentCount = begun.argumentCount
        changesProtocol = begun.changesProtocol
    }

    /// Appends one argument.
    public mutating func append(_ argument: some RedisArgumentConvertible) {
        argument.append(to: &self)
    }

    /// Appends one argument.
    public mutating func append(bytes: UnsafeRawBufferPointer) {
        argumentCount += 1
        RESP.appendLine(UInt8(ascii: "$"), UInt64(bytes.count), to: &buffer)
        buffer.append(contentsOf: bytes)
        RESP.endLine(&buffer)
    }

    /// Appends one argument, in decimal.
    public mutating func append(number: Int64) {
        argumentCount += 1
        let magnitude = number.magnitude
        RESP.appendLine(
            UInt8(ascii: "$"), UInt64(Decimal.digitCount(magnitude) + (number < 0 ? 1 : 0)), to: &buffer)
        RESP.appendLine(number < 0 ? UInt8(ascii: "-") : nil, magnitude, to: &buffer)
    }

    /// The beginning of the next argument.
    var position: Int { buffer.count }

    /// Returns the command with all arguments so far.
    public consuming func finish() -> RedisCommand {
        (consume self).finish(script: nil, scriptTail: 0)
    }

    consuming func finish(script: RedisScript?, scriptTail: Int) -> RedisCommand {
        finishInPlace(script: script, scriptTail: scriptTail)
    }

    /// Returns the command of a builder that is part of another value, without a copy of the buffer.
    mutating func finishInPlace(script: RedisScript?, scriptTail: Int) -> RedisCommand {
        var start = RedisCommandBuilder.headroom
        for byte in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] {
            start -= 1
            buffer[start] = byte
        }
        var count = argumentCount
        repeat {
            start -= 1
            buffer[start] = UInt8(ascii: "0") + UInt8(count % 10)
            count /= 10
        } while count > 0
        start -= 1
        buffer[start] = UInt8(ascii: "*")
        // The library reads one byte past the first argument.
        buffer.append(0)
        return RedisCommand(
            buffer: buffer, start: start, script: script, scriptTail: scriptTail, argumentCount: argumentCount,
            changesProtocol: changesProtocol)
    }

    /// Appends arguments that are already in RESP.
    mutating func append(encoded: ArraySlice<UInt8>, argumentCount count: Int) {
        buffer.append(contentsOf: encoded)
        argumentCount += count
    }
}

enum Decimal {
    static func digitCount(_ number: UInt64) -> Int {
        var count = 1
        var rest = number / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }
}

/// The commands that change the server's output on a connection, or end it. On a shared connection they would corrupt
/// the replies of all other callers.
enum ProtocolChange {
    private static let names: Set<String> = [
        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE", "MONITOR", "HELLO",
        "RESET", "QUIT", "SYNC", "PSYNC",
    ]

    static func isCaused(by name: String) -> Bool {
        // The first letter rules out most names, which saves hashing nearly every command's name.
        switch name.utf8.first.map({ $0 & 0xDF }) {
        case UInt8(ascii: "S"), UInt8(ascii: "P"), UInt8(ascii: "U"), UInt8(ascii: "M"), UInt8(ascii: "R"),
            UInt8(ascii: "Q"):
            name.utf8.count >= 4 && names.contains(name.uppercased())
        case UInt8(ascii: "H"):
            name.utf8.count == 5 && names.contains(name.uppercased())
        default:
            false
        }
    }
}
