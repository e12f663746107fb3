import Glibc

/// A cache of verdicts on recent messages, keyed by everything except the registration token. The messages of a
/// broadcast share this shape, so each is parsed only once.
struct MessageMemory {
    private struct Shape {
        /// The bytes before the token's first character, and the bytes from its closing quotation mark on.
        let prefix: [UInt8]
        let suffix: [UInt8]
        let verdict: MessageVerdict
    }

    private var shapes: [Shape] = []
    private static let capacity = 8

    /// True for characters of registration tokens. JSON needs no escapes for them, so replacing a token by another
    /// keeps the verdict.
    static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Returns the verdict on a body and replaces `token` with its registration token.
    mutating func verdict(_ body: [UInt8], token: inout [UInt8]) -> MessageVerdict {
        token.removeAll(keepingCapacity: true)
        for index in shapes.indices {
            guard let range = Self.token(of: body, shapes[index]) else { continue }
            token.append(contentsOf: body[range])
            if index > 0 { shapes.swapAt(0, index) }
            return shapes[0].verdict
        }
        // The copy has the exact capacity, because the original is a reused buffer.
        var verdict = MessageChecks.verdict(Array(body[...]))
        token += verdict.token
        if verdict.violation == nil, let range = verdict.tokenRange {
            verdict.token = []
            let shape = Shape(
                prefix: Array(body[..<range.lowerBound]), suffix: Array(body[range.upperBound...]), verdict: verdict)
            if shapes.count == Self.capacity { shapes.removeLast() }
            shapes.insert(shape, at: 0)
        }
        return verdict
    }

    /// Returns the range of the token in a body of this shape; nil for other bodies.
    private static func token(of body: [UInt8], _ shape: Shape) -> Range<Int>? {
        guard body.count > shape.prefix.count + shape.suffix.count else { return nil }
        let range = shape.prefix.count..<(body.count - shape.suffix.count)
        let isSame = body.withUnsafeBytes { body in
            guard let base = body.baseAddress else { return false }
            return memcmp(base, shape.prefix, shape.prefix.count) == 0
                && memcmp(base + range.upperBound, shape.suffix, shape.suffix.count) == 0
        }
        guard isSame, body.withUnsafeBufferPointer({ $0[range].allSatisfy(isOfToken) }) else { return nil }
        return range
    }
}
