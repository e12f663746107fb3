import HTTPTypes
import Hummingbird
import LiveActivity

/// The format of a segment request's body.
enum SegmentContent {
    case list(InsiderIDListParser.Format)
    case json

    /// Parses the media type. The only allowed character set is UTF-8.
    init(_ request: Request) throws(APIError) {
        let parts = (request.headers[.contentType] ?? "").split(separator: ";").map {
            $0.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        for parameter in parts.dropFirst() {
            guard !parameter.hasPrefix("header=") else {
                throw APIError(
                    .requestInvalid, "Content-Type: omit header; a first line with insider_id counts as the header")
            }
            guard
                !parameter.hasPrefix("charset=")
                    || ["charset=utf-8", "charset=utf8", "charset=us-ascii"].contains(parameter)
            else {
                throw APIError(.requestInvalid, "Content-Type: the charset must be UTF-8")
            }
        }
        switch parts.first {
        case "text/csv": self = .list(.csv)
        case "application/x-ndjson": self = .list(.jsonLines)
        case "application/json": self = .json
        default:
            throw APIError(
                .requestInvalid,
                "Content-Type must be text/csv or application/x-ndjson with one insider_id a line, or application/json")
        }
    }
}

extension JSONValue {
    /// Parses the ids of a segment's request. Throws for an invalid id.
    func segmentIDs() throws -> InsiderIDRun {
        try KnownFields.ids.check(self)
        guard let array = try optionalArray("insider_ids") else {
            throw APIError.invalid("insider_ids", "an array of strings")
        }
        var run = InsiderIDRun()
        for (index, element) in array.elements.enumerated() {
            guard let id = element.unescapedBytes, (1...DeviceKey.maximumLength).contains(id.count), !id.contains(0),
                !DeviceKey.isDotSegment(id)
            else {
                throw APIError.invalid(
                    "insider_ids[\(index)]",
                    "a string of 1 to \(DeviceKey.maximumLength) bytes without NUL, and not . or ..")
            }
            run.append(id)
        }
        return run
    }
}
