/// Frames written by hand.
enum Wire {
    static func frame(_ type: UInt8, _ flags: UInt8 = 0, stream: UInt32 = 0, _ content: [UInt8] = []) -> [UInt8] {
        bigEndian(UInt32(content.count)).dropFirst() + [type, flags] + bigEndian(stream) + content
    }

    static func settings(_ values: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(4, values.flatMap { bigEndian(UInt32($0.0)).suffix(2) + bigEndian($0.1) })
    }

    private static func frame(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { frame(type, 0, content) }

    static let settingsAcknowledgment = frame(4, 1)

    static func headers(_ stream: UInt32, _ flags: UInt8 = 0x5, _ block: [UInt8] = [0x88]) -> [UInt8] {
        frame(1, flags, stream: stream, block)
    }

    static func continuation(_ stream: UInt32, _ flags: UInt8 = 0x4, _ block: [UInt8]) -> [UInt8] {
        frame(9, flags, stream: stream, block)
    }

    static func data(_ stream: UInt32, _ flags: UInt8 = 0x1, _ content: [UInt8] = []) -> [UInt8] {
        frame(0, flags, stream: stream, content)
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { frame(3, 0, stream: stream, bigEndian(code)) }

    static func goAway(_ last: UInt32, _ code: UInt32 = 0) -> [UInt8] { frame(7, 0, bigEndian(last) + bigEndian(code)) }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        frame(8, 0, stream: stream, bigEndian(increment))
    }

    static func ping(_ content: [UInt8], _ flags: UInt8 = 0) -> [UInt8] { frame(6, flags, content) }

    /// A field without indexing and with a new name (RFC 7541, section 6.2.2); both strings below 127 bytes.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// `:status` as a literal with the name of static entry 8.
    static func status(_ code: String) -> [UInt8] { [0x08, UInt8(code.utf8.count)] + Array(code.utf8) }

    static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}

/// A frame taken apart.
struct WireFrame: Equatable {
    var type: UInt8
    var flags: UInt8
    var stream: UInt32
    var content: [UInt8]

    /// All whole frames; a connection preface in front is passed over.
    static func parse(_ bytes: [UInt8]) -> [WireFrame] {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        var rest = bytes[...]
        if rest.starts(with: preface) { rest = rest.dropFirst(preface.count) }
        var frames: [WireFrame] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard rest.count >= 9 + length else { break }
            frames.append(
                WireFrame(
                    type: head[3], flags: head[4], stream: number(head[5...]) & 0x7FFF_FFFF,
                    content: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }

    static func number(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The error codes of GOAWAY frames.
    static func goAways(_ bytes: [UInt8]) -> [UInt32] {
        parse(bytes).filter { $0.type == 7 }.map { number($0.content[4...]) }
    }

    /// The error codes of RST_STREAM frames by stream, in order.
    static func resets(_ bytes: [UInt8]) -> [StreamReset] {
        parse(bytes).filter { $0.type == 3 }.map { StreamReset(stream: $0.stream, code: number($0.content)) }
    }
}

struct StreamReset: Equatable {
    var stream: UInt32
    var code: UInt32
}
