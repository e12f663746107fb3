import Glibc
import LiveActivity

/// One answer as it goes out, made once and used for many pushes. Its bytes stay where they are, because nghttp2 is
/// given pointers to them. Immutable.
final class Answer: @unchecked Sendable {
    let status: Int
    let reason: String?
    /// The three digits, the body, and the value of `retry-after`.
    let statusText: UnsafeBufferPointer<UInt8>
    let body: UnsafeBufferPointer<UInt8>
    let retryAfterText: UnsafeBufferPointer<UInt8>

    static let accepted = Answer(status: 200, reason: nil)
    private static let rejections = Rejection.allCases.map { Answer(status: $0.status, reason: $0.reason) }

    static func rejected(_ rejection: Rejection) -> Answer {
        rejections[rejection.rawValue]
    }

    /// - Parameters:
    ///   - timestamp: for 410, since when the token has been dead, in milliseconds since 1970.
    ///   - retryAfter: in seconds.
    ///   - hasBody: without it the answer is a HEADERS frame alone.
    init(status: Int, reason: String?, timestamp: Int64? = nil, retryAfter: Int? = nil, hasBody: Bool = true) {
        self.status = status
        self.reason = reason
        statusText = Self.copy(Array(String(status).utf8))
        var content: [UInt8] = []
        if let reason, hasBody {
            content = JSONWriter.object {
                $0.field("reason", reason)
                $0.field("timestamp", timestamp)
            }
        }
        body = Self.copy(content)
        retryAfterText = Self.copy(retryAfter.map { Array(String($0).utf8) } ?? [])
    }

    deinit {
        statusText.deallocate()
        body.deallocate()
        retryAfterText.deallocate()
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return UnsafeBufferPointer(copy)
    }
}
