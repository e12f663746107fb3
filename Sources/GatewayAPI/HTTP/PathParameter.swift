/// Parts of a path as they come.
enum PathParameter {
    /// A part as it was before it was escaped for a URL (RFC 3986, section 2.1); clients escape more than they have to. Nil
    /// when its escapes are wrong.
    static func unescaped(_ escaped: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = escaped.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
