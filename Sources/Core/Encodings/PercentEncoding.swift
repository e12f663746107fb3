/// Percent-encoding in URLs (RFC 3986, section 2.1).
public enum PercentEncoding {
    /// Decodes a part of a URL; nil if a `%` is not followed by two hexadecimal digits. Unreserved characters may be
    /// escaped.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
