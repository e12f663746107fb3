/// Arguments in RESP that are encoded ahead of their commands, for sequences of commands with many arguments. A part is
/// copied into a command in one step, so the reactor has little work to send it.
public struct RedisArguments: Sendable {
    /// A contiguous range of the arguments.
    public struct Part {
        let encoded: ArraySlice<UInt8>
        /// The end of each argument, as an index of `encoded`.
        fileprivate let ends: ArraySlice<UInt32>

        var count: Int { ends.count }
        fileprivate var start: Int { encoded.startIndex }
    }

    private var bytes: [UInt8] = []
    /// The end of each argument.
    private var ends: [UInt32] = []

    /// - Parameters:
    ///   - count: The approximate number of arguments.
    ///   - byteCountHint: The approximate size of an argument in bytes.
    public init(reserving count: Int, byteCountHint: Int) {
        bytes.reserveCapacity(count * (byteCountHint + 8))
        ends.reserveCapacity(count)
    }

    /// The number of arguments.
    public var count: Int { ends.count }

    /// Appends one argument, concatenated from pieces.
    public mutating func append(_ pieces: [UInt8]...) {
        RESP.appendLine(UInt8(ascii: "$"), UInt64(pieces.reduce(0) { $0 + $1.count }), to: &bytes)
        for piece in pieces { bytes += piece }
        RESP.endLine(&bytes)
        ends.append(UInt32(bytes.count))
    }

    /// Appends one argument.
    public mutating func append(_ argument: [UInt8]) {
        RESP.appendLine(UInt8(ascii: "$"), UInt64(argument.count), to: &bytes)
        bytes += argument
        RESP.endLine(&bytes)
        ends.append(UInt32(bytes.count))
    }

    /// Appends one argument, whose bytes `write` appends to its buffer.
    public mutating func append(_ write: (inout [UInt8]) -> Void) {
        // The two digits of nearly all lengths fit in front; an argument of another length is moved.
        let start = bytes.count
        bytes += RedisArguments.shortHead
        write(&bytes)
        let length = bytes.count - start - RedisArguments.shortHead.count
        if (10...99).contains(length) {
            bytes[start + 1] = UInt8(ascii: "0") + UInt8(length / 10)
            bytes[start + 2] = UInt8(ascii: "0") + UInt8(length % 10)
            RESP.endLine(&bytes)
            ends.append(UInt32(bytes.count))
        } else {
            let argument = Array(bytes[(start + RedisArguments.shortHead.count)...])
            bytes.removeSubrange(start...)
            append(argument)
        }
    }

    private static let shortHead = Array("$00\r\n".utf8)

    /// Appends arguments that are already encoded.
    public mutating func append(_ part: Part) {
        let start = bytes.count - part.start
        bytes += part.encoded
        for end in part.ends { ends.append(UInt32(start + Int(end))) }
    }

    /// The arguments of an index range.
    public subscript(range: Range<Int>) -> Part {
        Part(encoded: bytes[start(range.lowerBound)..<start(range.upperBound)], ends: ends[range])
    }

    /// The original bytes of one argument.
    public subscript(number: Int) -> ArraySlice<UInt8> {
        let encoded = bytes[start(number)..<Int(ends[number])]
        let head = encoded.firstIndex(of: UInt8(ascii: "\n")) ?? encoded.startIndex
        return encoded[(head + 1)..<(encoded.endIndex - 2)]
    }

    private func start(_ number: Int) -> Int { number == 0 ? 0 : Int(ends[number - 1]) }
}

/// The encoding of arguments in Redis's protocol.
enum RESP {
    /// Appends a mark, a number and the line's end in one piece, several times faster than byte by byte.
    static func appendLine(_ mark: UInt8?, _ number: UInt64, to buffer: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { line in
            line[22] = UInt8(ascii: "\r")
            line[23] = UInt8(ascii: "\n")
            var start = 22
            var rest = number
            repeat {
                start -= 1
                line[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if let mark {
                start -= 1
                line[start] = mark
            }
            buffer.append(contentsOf: UnsafeBufferPointer(rebasing: line[start...]))
        }
    }

    static func endLine(_ buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\r"))
        buffer.append(UInt8(ascii: "\n"))
    }
}
