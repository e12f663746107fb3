import FlatMemory
import HTTP2Core
import TimeCore

/// Encodes requests and decodes answers on a connection with a large peer window.
enum PushSteps {
    private static let now = MonotonicTime(nanoseconds: 0)
    private static let batch = 128

    /// Opens `count` streams, at most 8,192.
    static func encode(_ count: Int) -> Int {
        var connection = readyConnection()
        var bytes = 0
        for first in stride(from: 0, to: count, by: batch) {
            _ = open(min(batch, count - first), on: &connection)
            bytes += connection.output.count
            connection.outputTaken(connection.output.count)
        }
        return bytes
    }

    /// Opens `count` streams and decodes their answers. The time includes that of `encode`.
    static func decode(_ count: Int) -> Int {
        var connection = readyConnection()
        var accepted = 0
        for first in stride(from: 0, to: count, by: batch) {
            let size = min(batch, count - first)
            let stream = open(size, on: &connection)
            connection.outputTaken(connection.output.count)
            accepted += answer(size, from: stream, on: &connection)
        }
        return accepted
    }

    private static func readyConnection() -> HTTP2Connection {
        var connection = HTTP2Connection(now: now)
        // SETTINGS, and windows of the largest size.
        feed([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF], to: &connection)
        feed([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0x00, 0x00], to: &connection)
        connection.outputTaken(connection.output.count)
        let fields: [HTTP2RequestTemplate.Field] = [
            .constant(name: ":method", value: Array("POST".utf8)),
            .constant(name: ":scheme", value: Array("https".utf8)),
            .constant(name: ":authority", value: Array("api.push.example.com".utf8)),
            .path(prefix: Array("/3/device/".utf8)),
            .secret(name: "authorization", value: Array(repeating: 0x61, count: 200)),
            .constant(name: "apns-push-type", value: Array("liveactivity".utf8)),
            .constant(name: "apns-topic", value: Array("com.example.app.push-type.liveactivity".utf8)),
            .constant(name: "apns-priority", value: Array("10".utf8)),
            .numbered(name: "apns-id", prefix: Array("00000000-0000-0000-0000-0000".utf8)),
        ]
        let template = try? HTTP2RequestTemplate(
            fields: fields, hole: .path(.hexadecimal),
            body: HTTP2RequestBody(repeatElement(0x78, count: 400)))
        connection.setTemplate(template, at: 0)
        return connection
    }

    private static func open(_ count: Int, on connection: inout HTTP2Connection) -> UInt32 {
        let first = connection.nextStream
        for number in 0..<UInt32(count) {
            let token = (UInt64(number), UInt64(2), UInt64(3), UInt64(4))
            _ = withUnsafeBytes(of: token) {
                connection.open(template: 0, token: $0, number: number, tag: number)
            }
        }
        return first
    }

    /// Answers requests with `:status: 200` and an `apns-id`. Returns the number of requests that ended.
    private static func answer(_ count: Int, from first: UInt32, on connection: inout HTTP2Connection) -> Int {
        let block: [UInt8] = [0x88, 0x00, 7] + "apns-id".utf8 + [36] + Array(repeating: 0x30, count: 36)
        let size = 9 + block.count
        var answers = ByteQueue(capacity: 8_192)
        for number in 0..<UInt32(count) {
            let target = answers.extend(by: size)
            target.copyMemory(from: [0, 0, UInt8(block.count), 1, 5], byteCount: 5)
            target.storeBytes(of: (first + 2 * number).bigEndian, toByteOffset: 5, as: UInt32.self)
            (target + 9).copyMemory(from: block, byteCount: block.count)
        }
        connection.receive(answers.bytes, now: now)
        let ended = connection.events.count
        connection.clearEvents()
        return ended
    }

    private static func feed(_ bytes: [UInt8], to connection: inout HTTP2Connection) {
        bytes.withUnsafeBytes { connection.receive($0, now: now) }
    }
}
