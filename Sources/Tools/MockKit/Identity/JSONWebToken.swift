import LiveActivity

/// A decoded but unverified JSON Web Token (RFC 7519) in compact form (RFC 7515).
package struct JSONWebToken {
    package let header: JSONValue
    package let claims: JSONValue
    package let signature: [UInt8]
    /// The input of the signature: header and claims, encoded.
    package let signedText: ArraySlice<UInt8>

    /// Returns nil unless the text has three Base64URL parts, of which the first two are JSON.
    package init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decoded(parts[0]), let claims = Base64URL.decoded(parts[1]),
            let signature = Base64URL.decoded(parts[2]),
            let header = try? JSONDocument(parsing: header).root, let claims = try? JSONDocument(parsing: claims).root
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedText = text[parts[0].startIndex..<parts[1].endIndex]
    }
}

extension JSONValue {
    /// The whole seconds of a NumericDate (RFC 7519, section 2), which may have a fraction; nil for other values.
    package var numericDate: Int64? {
        guard let seconds = double, abs(seconds) < 1e15 else { return nil }
        return Int64(seconds.rounded(.down))
    }
}

/// Base64 with the URL alphabet and no padding (RFC 4648, section 5).
enum Base64URL {
    /// Returns nil for an empty text, a character outside the alphabet or an impossible length.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, text.count % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            guard let value = value(character) else { return nil }
            accumulator = accumulator << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: accumulator >> bits))
            }
        }
        return result
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
