import Encodings

extension JSONValue {
    /// The string with its escapes resolved; nil for other kinds. Nil also for very long rows of combining marks, whose
    /// comparison is too slow (`StreamSafeText`).
    public var string: String? {
        guard let content else { return nil }
        let text = String(decoding: node.hasEscapes ? JSONText.unescaped(content)[...] : content, as: UTF8.self)
        return StreamSafeText.holds(text) ? text : nil
    }

    /// The UTF-8 of `string`; nil for other kinds.
    public var unescapedBytes: [UInt8]? {
        guard let content else { return nil }
        return node.hasEscapes ? JSONText.unescaped(content) : [UInt8](content)
    }

    /// The bytes that a string of hexadecimal digits encodes; nil for other strings and kinds.
    public var hexadecimal: [UInt8]? {
        guard let content else { return nil }
        return Hexadecimal.decode(node.hasEscapes ? JSONText.unescaped(content)[...] : content)
    }

    /// The UUID in a string, as `UniqueID` parses it; nil for other strings and kinds.
    public var uniqueID: UniqueID? {
        guard let content, !node.hasEscapes else { return string.flatMap { UniqueID($0) } }
        var spelling = UniqueID.Spelling.smallLetters
        return content.withUnsafeBufferPointer { UniqueID(ascii: $0, &spelling) }
    }

    /// The number if it is written as an integer, without fraction or exponent, and fits; otherwise nil.
    public var int64: Int64? {
        guard kind == .number else { return nil }
        var digits = slice
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        var result: Int64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            // Accumulates negative values, because their range is larger by one.
            let (tenfold, tooLarge) = result.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tenfold.subtractingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !tooLarge, !overflow else { return nil }
            result = sum
        }
        if isNegative { return result }
        return result == .min ? nil : -result
    }

    /// The nearest double to the number; nil for other kinds and for a number beyond the largest double. A number too
    /// close to zero becomes zero.
    public var double: Double? {
        guard kind == .number, let number = Double(String(decoding: slice, as: UTF8.self)), number.isFinite else {
            return nil
        }
        return number
    }

    /// True or false; nil for other kinds.
    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The bytes between the quotes of a string.
    private var content: ArraySlice<UInt8>? {
        guard kind == .string else { return nil }
        return slice.dropFirst().dropLast()
    }
}
