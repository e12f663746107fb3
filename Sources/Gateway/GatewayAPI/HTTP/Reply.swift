import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import NIOCore

/// An answer before it is written: status, headers and JSON.
struct Reply: Sendable {
    var status: HTTPResponse.Status
    var headers = HTTPFields()
    var body: [UInt8]
    /// True if the body contains a secret, so it must not be stored.
    var isSecret = false
    /// True if the request changed nothing.
    var changesNothing = false

    /// Returns a success: `"status":"success"` first, then the endpoint's fields.
    static func success(
        _ status: HTTPResponse.Status = .ok, _ fields: (inout JSONObjectWriter) -> Void = { _ in }
    ) -> Reply {
        let body = JSONWriter.object {
            $0.field("status", "success")
            fields(&$0)
        }
        return Reply(status: status, body: body)
    }

    init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(_ error: APIError) {
        status = error.code.status
        if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
        switch error.code {
        // RFC 6750, section 3.
        case .unauthorized: headers[.wwwAuthenticate] = #"Bearer realm="fanfare""#
        // RFC 9110, section 15.5.16.
        case .unsupportedEncoding: headers[.acceptEncoding] = "identity"
        default: break
        }
        body = JSONWriter.object {
            $0.field("error", error.message)
            $0.field("code", error.code.rawValue)
            if let skipped = error.skipped { $0.skipped(skipped) }
            if let denied = error.gdprDenied { $0.gdprDenied(denied) }
            $0.candidates(error.candidates)
            $0.field("retry_after", error.retryAfter)
            $0.field("required_tier", error.requiredTier?.rawValue)
            $0.field("quota", error.quota)
            $0.reasons("reasons", error.reasons)
            $0.reasons("warnings", error.warnings)
        }
    }

    var response: Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension JSONObjectWriter {
    mutating func skipped(_ counts: SkipCounts) {
        object("skipped") { writer in
            for (reason, count) in counts.occurring { writer.field(reason.name, count) }
        }
    }

    /// Writes nothing for an empty list.
    mutating func candidates(_ candidates: [ActivityCandidate]) {
        guard !candidates.isEmpty else { return }
        array("details") { array in
            for candidate in candidates {
                array.object {
                    $0.field("activity_id", candidate.activityID.description)
                    $0.field("topic", candidate.topic)
                    $0.field("external_id", candidate.externalID)
                }
            }
        }
    }

    mutating func gdprDenied(_ keys: [DeviceKey]) {
        array("gdpr_denied_details") { array in
            for key in keys {
                array.object {
                    $0.field("insider_id", key.insiderID)
                    $0.field("udid", key.udid)
                }
            }
        }
    }
}
