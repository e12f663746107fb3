/// The JSON body of an answer other than 200: `{"reason":"...","timestamp":...}`.
///
/// The input is untrusted and may be truncated. Unreadable parts are omitted without an error, because the status alone
/// decides the disposition.
public struct RejectionBody: Equatable, Sendable {
    /// The text between the quotes, with its escapes; nil if none could be read.
    public private(set) var reason: String?
    /// The time since when the token is unregistered, in milliseconds since 1970; nil if none could be read.
    public private(set) var timestamp: UInt64?

    /// Parses the body as far as possible; never fails.
    public init(_ bytes: some Collection<UInt8>) {
        var reader = Reader(bytes: Array(bytes))
        guard reader.take("{") else { return }
        while let key = reader.string(), reader.take(":") {
            if key == "reason", let text = reader.string() {
                reason = text
            } else if key == "timestamp", let number = reader.unsignedInteger() {
                timestamp = number
            } else if !reader.skipValue() {
                return
            }
            guard reader.take(",") else { return }
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func skipWhiteSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipWhiteSpace()
            guard let byte = next, byte == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// Reads a string without decoding escapes, because no reason of the provider has any.
        mutating func string() -> String? {
            let start = index
            guard take("\"") else { return nil }
            let first = index
            while let byte = next {
                index += 1
                if byte == UInt8(ascii: "\"") { return String(decoding: bytes[first..<(index - 1)], as: UTF8.self) }
                if byte == UInt8(ascii: "\\") { index += 1 }
            }
            index = start
            return nil
        }

        mutating func unsignedInteger() -> UInt64? {
            skipWhiteSpace()
            let start = index
            var value: UInt64 = 0
            while let byte = next, (0x30...0x39).contains(byte) {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, overflowToo) = product.addingReportingOverflow(UInt64(byte - 0x30))
                if overflow || overflowToo {
                    index = start
                    return nil
                }
                value = sum
                index += 1
            }
            return index > start ? value : nil
        }

        /// Skips any value; false if the text ends within it.
        mutating func skipValue() -> Bool {
            var depth = 0
            while true {
                skipWhiteSpace()
                guard let byte = next else { return false }
                switch byte {
                case UInt8(ascii: "\""):
                    guard string() != nil else { return false }
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    index += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                    if depth == 0 { return true }
                    if byte != UInt8(ascii: ",") { depth -= 1 }
                    index += 1
                default:
                    index += 1
                }
                if depth == 0, let following = next, following == UInt8(ascii: ",") || following == UInt8(ascii: "}") {
                    return true
                }
            }
        }
    }
}
