import Hummingbird

extension GatewayContext {
    /// A part of the path by its parameter's name, as it was before it was escaped for a URL (RFC 3986, section 2.1);
    /// clients escape more than they have to. Nil when there is none, or its escapes are wrong.
    func pathParameter(_ name: String) -> String? {
        guard let escaped = parameters.get(name) else { return nil }
        guard escaped.utf8.contains(UInt8(ascii: "%")) else { return escaped }
        var bytes: [UInt8] = []
        var rest = escaped.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
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
