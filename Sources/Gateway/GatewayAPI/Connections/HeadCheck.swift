import Encodings
import NIOHTTP1

/// The checks of a request's head beyond those of the parser of HTTP/1.1.
enum HeadCheck {
    /// The maximum length of a target, in bytes.
    static let longestTarget = 8 * 1024

    /// The reason for which a head is refused.
    struct Fault {
        let kind: ConnectionMetrics.HeadFault
        let error: APIError
    }

    /// The result of the checks.
    enum Verdict {
        case fine
        /// Valid, and the connection's last request: by `Connection`, by the version, or by an upgrade, after which the
        /// parser reads nothing.
        case last
        case refused(Fault)
    }

    static func check(_ head: HTTPRequestHead) -> Verdict {
        guard head.uri.utf8.count <= longestTarget else { return .refused(.targetTooLong) }
        guard StreamSafeText.holds(head.uri) else {
            return .refused(
                .malformed("the target has more than \(StreamSafeText.longestRow) combining marks in a row"))
        }
        var hosts = 0
        var codings = 0
        var isLast = head.method == .CONNECT || Self.isLast(head)
        for (name, value) in head.headers {
            guard StreamSafeText.holds(value) else {
                return .refused(
                    .malformed("a field has more than \(StreamSafeText.longestRow) combining marks in a row"))
            }
            // The length rules out most names.
            switch name.utf8.count {
            case 4 where ReportHead.matches(name, "host"):
                hosts += 1
                guard isHost(ReportHead.trimmed(value)) else {
                    return .refused(.malformed("the Host header must name a host"))
                }
            case 7 where ReportHead.matches(name, "upgrade"): isLast = true
            case 17 where ReportHead.matches(name, "transfer-encoding"):
                // A proxy in front may see the body's end elsewhere (RFC 9112, section 6.1).
                guard head.version == .http1_1 else {
                    return .refused(.malformed("Transfer-Encoding is not part of HTTP/1.0"))
                }
                // The parser accepts any list that ends in it, and would pass on data that it has not decoded.
                codings += 1
                let coding = ReportHead.trimmed(value)
                guard codings == 1, coding.utf8.count == 7, ReportHead.matches(coding, "chunked") else {
                    return .refused(.malformed("the only supported Transfer-Encoding is chunked"))
                }
            default: break
            }
        }
        guard hosts <= 1 else { return .refused(.malformed("the request has more than one Host header")) }
        guard hosts == 1 || head.version == .http1_0 else { return .refused(.malformed("the Host header is required")) }
        return isLast ? .last : .fine
    }

    /// True if the connection ends with the answer. Connections of HTTP/1.0 are not kept.
    static func isLast(_ head: HTTPRequestHead) -> Bool { !head.isKeepAlive || head.version == .http1_0 }

    /// The fault of bytes that the parser rejects.
    /// - Parameter line: The length of the line with the target.
    static func fault(_ error: HTTPParserError, line: Int) -> Fault {
        guard case .headerOverflow = error else { return .malformed("\(error)") }
        return line > longestTarget ? .targetTooLong : .fieldsTooLarge
    }

    /// A name or an address, perhaps with a port; it may be empty (RFC 9112, section 3.2).
    private static func isHost(_ value: String) -> Bool { isHost(value.utf8) }

    static func isHost(_ value: some Sequence<UInt8>) -> Bool {
        value.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: marks.contains(byte)
            }
        }
    }

    private static let marks = Set("-._~%!$&'()*+;=:[]".utf8)
}

extension HeadCheck.Fault {
    static func malformed(_ reason: String) -> HeadCheck.Fault {
        HeadCheck.Fault(
            kind: .malformed, error: APIError(.badRequest, "the request is not valid HTTP/1.1: \(reason)"))
    }

    static var targetTooLong: HeadCheck.Fault {
        HeadCheck.Fault(
            kind: .targetTooLong,
            error: APIError(.uriTooLong, "path and query are longer than \(HeadCheck.longestTarget) bytes"))
    }

    static var fieldsTooLarge: HeadCheck.Fault {
        HeadCheck.Fault(
            kind: .fieldsTooLarge,
            error: APIError(.headersTooLarge, "the request has too many headers, or they are too long"))
    }
}
