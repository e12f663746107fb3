import LiveActivity

/// An HTTP/1.1 response of the control port, or to a client without HTTP/2. It ends the connection.
struct ControlReply: Equatable {
    var status = 200
    /// Nil if `fields` carries the content type.
    var contentType: String? = "application/json"
    var fields: [String: String] = [:]
    var body: [UInt8] = []

    static func error(_ status: Int, _ text: String) -> ControlReply {
        ControlReply(status: status, body: JSONWriter.object { $0.field("error", text) } + [UInt8(ascii: "\n")])
    }

    static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The serialized response.
    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status) \(phrase)\r\nconnection: close\r\n"
        // A 204 response has neither field (RFC 9110, section 8.6).
        if status != 204 {
            if let contentType { head += "content-type: \(contentType)\r\n" }
            head += "content-length: \(body.count)\r\n"
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    private var phrase: String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 431: "Request Header Fields Too Large"
        default: ""
        }
    }
}
