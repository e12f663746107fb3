/// Arguments in RESP, written ahead of the commands that have them: for rows of commands whose arguments are many. A
/// part of them becomes part of a command with one copy, so the reactor, which sends it, has little to do.
public struct RedisArguments: Sendable {
    /// Some of them, next to each other.
    public struct Part {
        let encoded: ArraySlice<UInt8>
        /// Where each ends, counted as `encoded` is.
        fileprivate let ends: ArraySlice<UInt32>

        var count: Int { ends.count }
        fileprivate var start: Int { encoded.startIndex }
    }

    private var bytes: [UInt8] = []
    /// Where each ends.
    private var ends: [UInt32] = []

    /// - Parameters:
    ///   - count: about how many there will be.
    ///   - byteCountHint: about how many bytes each will have.
    public init(reserving count: Int, byteCountHint: Int) {
        bytes.reserveCapacity(count * (byteCountHint + 8))
        ends.reserveCapacity(count)
    }

    /// How many there are.
    public var count: Int { ends.count }

    /// Adds one argument, which is made of pieces.
    public mutating func append(_ pieces: [UInt8]...) {
        RESP.appendLine(UInt8(ascii: "$"), UInt64(pieces.reduce(0) { $0 + $1.count }), to: &bytes)
        for piece in pieces { bytes += piece }
        RESP.endLine(&bytes)
        ends.append(UInt32(bytes.count))
    }

    /// Adds one argument.
    public mutating func append(_ argument: [UInt8]) {
        RESP.appendLine(UInt8(ascii: "$"), UInt64(argument.count), to: &bytes)
        bytes += argument
        RESP.endLine(&bytes)
        ends.append(UInt32(bytes.count))
    }

    /// Adds one argument, whose bytes `write` appends to those that are there.
    public mutating func append(_ write: (inout [UInt8]) -> Void) {
        // A length of two digits, as nearly all have, fits in front; others have to make room for themselves.
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

    /// Adds arguments that are written already.
    public mutating func append(_ part: Part) {
        let start = bytes.count - part.start
        bytes += part.encoded
        for end in part.ends { ends.append(UInt32(start + Int(end))) }
    }

    /// Those of these numbers.
    public subscript(range: Range<Int>) -> Part {
        Part(encoded: bytes[start(range.lowerBound)..<start(range.upperBound)], ends: ends[range])
    }

    /// One of them as it was given.
    public subscript(number: Int) -> ArraySlice<UInt8> {
        let encoded = bytes[start(number)..<Int(ends[number])]
        let head = encoded.firstIndex(of: UInt8(ascii: "\n")) ?? encoded.startIndex
        return encoded[(head + 1)..<(encoded.endIndex - 2)]
    }

    private func start(_ number: Int) -> Int { number == 0 ? 0 : Int(ends[number - 1]) }
}

/// How Redis's protocol spells what an argument is made of.
enum RESP {
    /// A mark, a number and the line's end, in one piece: a byte at a time costs several times as much.
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
