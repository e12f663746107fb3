import Encodings
import HTTPTypes
import LiveActivity
import TimeCore

/// Writes replies as HTTP/1.1, head and body in one piece. What is returned is valid until the next call.
struct ReplyEncoder {
    private var bytes: [UInt8] = []
    private var date = HTTPDate()
    private var identifiers = FastGenerator()

    init() {
        bytes.reserveCapacity(1024)
    }

    /// Any reply.
    /// - Parameters:
    ///   - requestID: the client's own name for the request; nil for a new one.
    ///   - closes: whether the connection ends with this reply.
    mutating func encode(_ reply: Reply, requestID: String?, closes: Bool, now: WallTime) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        bytes += "HTTP/1.1 \(reply.status.code) \(reply.status.reasonPhrase)".utf8
        for field in reply.headers { bytes += "\r\n\(field.name.rawName): \(field.value)".utf8 }
        appendHead(bodyCount: reply.body.count, requestID, closes, now)
        bytes += reply.body
        return bytes
    }

    /// `{"status":"success","activity_id":"…"}`, which is nearly every reply of a storm.
    mutating func encodeSuccess(_ activity: UniqueID, requestID: String?, closes: Bool, now: WallTime) -> [UInt8] {
        let before: StaticString = #"{"status":"success","activity_id":""#
        let after: StaticString = #""}"#
        bytes.removeAll(keepingCapacity: true)
        append("HTTP/1.1 200 OK")
        appendHead(bodyCount: before.utf8CodeUnitCount + 36 + after.utf8CodeUnitCount, requestID, closes, now)
        append(before)
        activity.append(to: &bytes)
        append(after)
        return bytes
    }

    private mutating func appendHead(bodyCount: Int, _ requestID: String?, _ closes: Bool, _ now: WallTime) {
        append("\r\nContent-Type: application/json\r\nContent-Length: ")
        bytes.appendDecimal(bodyCount)
        append("\r\nDate: ")
        date.append(to: &bytes, at: now)
        append("\r\nX-Request-Id: ")
        if let requestID {
            bytes += requestID.utf8
        } else {
            UniqueID.random(using: &identifiers).append(to: &bytes)
        }
        if closes { append("\r\nConnection: close") }
        append("\r\n\r\n")
    }

    private mutating func append(_ text: StaticString) { bytes.append(contentsOf: text.bytes) }
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
