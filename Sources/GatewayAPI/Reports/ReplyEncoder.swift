import HTTPTypes
import LiveActivity
import TimeCore

/// Writes a reply as HTTP/1.1, head and body in one piece.
struct ReplyEncoder {
    private var bytes: [UInt8] = []
    private var date = HTTPDate()
    private var identifiers = FastGenerator()

    private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ".utf8)
    private static let dateName = Array("\r\nDate: ".utf8)
    private static let requestIDName = Array("\r\nX-Request-Id: ".utf8)
    private static let close = Array("\r\nConnection: close".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    init() {
        bytes.reserveCapacity(1024)
    }

    /// - Parameters:
    ///   - requestID: the client's own name for the request; nil for a new one.
    ///   - closes: whether the connection ends with this reply.
    /// - Returns: valid until the next call; no copy is made.
    mutating func encode(_ reply: Reply, requestID: String?, closes: Bool, now: WallTime) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        if reply.status == .ok {
            bytes += ReplyEncoder.ok
        } else {
            bytes += "HTTP/1.1 \(reply.status.code) \(reply.status.reasonPhrase)".utf8
            bytes += "\r\nContent-Type: application/json\r\nContent-Length: ".utf8
        }
        append(reply.body.count)
        bytes += ReplyEncoder.dateName
        bytes += date.bytes(at: now)
        bytes += ReplyEncoder.requestIDName
        if let requestID {
            bytes += requestID.utf8
        } else {
            UniqueID.random(using: &identifiers).append(to: &bytes)
        }
        for field in reply.headers { bytes += "\r\n\(field.name.rawName): \(field.value)".utf8 }
        if closes { bytes += ReplyEncoder.close }
        bytes += ReplyEncoder.end
        bytes += reply.body
        return bytes
    }

    private mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

/// SplitMix64 from a random seed: names requests, where nothing depends on whether a name can be guessed.
private struct FastGenerator: RandomNumberGenerator {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
