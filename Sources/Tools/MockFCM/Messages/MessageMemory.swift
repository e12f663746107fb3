import Glibc

/// The verdicts on the last few messages that differ in more than their registration token. The messages of a broadcast
/// share theirs, so that reading one again for each device would be waste.
struct MessageMemory {
    private struct Shape {
        /// All up to the token's first character, and all from the quotation mark behind its last one.
        let prefix: [UInt8]
        let suffix: [UInt8]
        let verdict: MessageVerdict
    }

    private var shapes: [Shape] = []
    private static let capacity = 8

    /// The characters of a registration token. Each of them stands for itself in JSON, so a message with another token
    /// of these alone is read as the first one was.
    static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The verdict on a body. Puts the registration token in place of what `token` holds.
    mutating func verdict(_ body: [UInt8], token: inout [UInt8]) -> MessageVerdict {
        token.removeAll(keepingCapacity: true)
        for index in shapes.indices {
            guard let range = Self.token(of: body, shapes[index]) else { continue }
            token.append(contentsOf: body[range])
            if index > 0 { shapes.swapAt(0, index) }
            return shapes[0].verdict
        }
        // A copy of just the length, as the original is a buffer that is used again.
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

    /// Where the token stands in a body of this shape; nil when the body is not of it.
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
