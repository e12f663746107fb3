import HTTP2Core

/// A kind of request, as a template for the engine and as a list of fields for libnghttp2.
struct RequestKind: Sendable {
    var method = "POST"
    var authority = "push.example"
    var pathSuffix = ""
    var secret = "bearer a.b.c"
    var extra: [(name: String, value: String)] = []
    var hole = HTTP2RequestTemplate.Hole.path(.hexadecimal)
    /// The body without the token.
    var body: [UInt8]? = Array("{\"aps\":{}}".utf8)

    static let pathPrefix = "/3/device/"
    static let numberPrefix = "00000000-0000-4000-8000-0000"

    var template: HTTP2RequestTemplate {
        get throws {
            try HTTP2RequestTemplate(
                fields: [
                    .constant(name: ":method", value: Array(method.utf8)),
                    .constant(name: ":scheme", value: Array("https".utf8)),
                    .constant(name: ":authority", value: Array(authority.utf8)),
                    .path(prefix: Array(RequestKind.pathPrefix.utf8), suffix: Array(pathSuffix.utf8)),
                    .secret(name: "authorization", value: Array(secret.utf8)),
                    .numbered(name: "apns-id", prefix: Array(RequestKind.numberPrefix.utf8)),
                ] + extra.map { .constant(name: .init($0.name), value: Array($0.value.utf8)) },
                hole: hole, body: body.map { HTTP2RequestBody($0) })
        }
    }

    func fields(token: [UInt8], number: UInt32) -> [Field] {
        let digits = RequestKind.hexadecimal(withUnsafeBytes(of: number.bigEndian) { Array($0) })
        var inPath = ""
        if case .path(let spelling) = hole {
            inPath = String(decoding: RequestKind.spell(token, spelling), as: UTF8.self)
        }
        return [
            Field(":method", method), Field(":scheme", "https"), Field(":authority", authority),
            Field(":path", RequestKind.pathPrefix + inPath + pathSuffix),
            Field("authorization", secret, isNeverIndexed: true),
            Field("apns-id", RequestKind.numberPrefix + digits),
        ] + extra.map { Field($0.name, $0.value) }
            + (body(token: token).map { [Field("content-length", String($0.count))] } ?? [])
    }

    /// Returns the body with the token; nil for a request without a body.
    func body(token: [UInt8]) -> [UInt8]? {
        guard let body, case .body(let offset, let spelling) = hole else { return body }
        return body[..<offset] + RequestKind.spell(token, spelling) + body[offset...]
    }

    private static func spell(_ token: [UInt8], _ spelling: HTTP2RequestTemplate.Spelling) -> [UInt8] {
        switch spelling {
        case .hexadecimal: Array(hexadecimal(token).utf8)
        case .verbatim: token
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

struct Field: Equatable, Sendable, CustomStringConvertible {
    var name: String
    var value: String
    var isNeverIndexed = false

    init(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
        self.name = name
        self.value = value
        self.isNeverIndexed = isNeverIndexed
    }

    var description: String { "\(name): \(value)\(isNeverIndexed ? " (never indexed)" : "")" }
}

/// A request to send.
struct RequestPlan {
    var kind: Int
    var token: [UInt8]
    var tag: UInt32

    /// The number at the end of the request's identifier.
    var number: UInt32 { tag &* 0x9E37_79B1 }
}

/// The end of a request for the client.
enum Outcome: Equatable {
    case answered(status: UInt16, body: [UInt8], retryAfter: UInt32?)
    case reset(code: UInt32)
}
