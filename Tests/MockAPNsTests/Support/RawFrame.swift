/// HTTP/2 frames by hand (RFC 9113, section 4.1), for what a proper client does not do.
enum RawFrame {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ content: [UInt8] = []) -> [UInt8] {
        let length = UInt32(content.count)
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + [24, 16, 8, 0].map { UInt8(stream >> $0 & 255) } + content
    }

    static func settings() -> [UInt8] { frame(type: 4) }

    /// A push's HEADERS without the headers that APNs wants; the table of HPACK is left as it is.
    static func headers(stream: UInt32, endsStream: Bool = false) -> [UInt8] {
        let path = Array("/3/device/ab01".utf8)
        let authority = Array("localhost".utf8)
        let block: [UInt8] =
            [0x83, 0x87, 0x04, UInt8(path.count)] + path + [0x01, UInt8(authority.count)] + authority
        return frame(type: 1, flags: endsStream ? 5 : 4, stream: stream, block)
    }

    /// HEADERS with any fields, each a literal that leaves the table of HPACK as it is (RFC 7541, section 6.2.2).
    static func headers(stream: UInt32, fields: [(String, String)]) -> [UInt8] {
        frame(type: 1, flags: 4, stream: stream, fields.flatMap { [0] + literal($0.0) + literal($0.1) })
    }

    private static func literal(_ text: String) -> [UInt8] {
        var rest = text.utf8.count
        if rest < 127 { return [UInt8(rest)] + Array(text.utf8) }
        var length: [UInt8] = [127]
        rest -= 127
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + Array(text.utf8)
    }

    static func data(stream: UInt32, _ content: [UInt8]) -> [UInt8] {
        frame(type: 0, flags: 1, stream: stream, content)
    }
}
