/// A reply on a connection, split from others by its Content-Length.
struct RawReply {
    /// From the status line, as in `HTTP/1.1`.
    let version: String
    let status: Int
    let headers: [String: String]
    let body: String

    var requestID: String { headers["x-request-id"] ?? "" }

    /// Returns nil if the text is not made of whole replies.
    static func all(in text: String) -> [RawReply]? {
        var rest = Array(text.utf8)[...]
        var replies: [RawReply] = []
        while !rest.isEmpty {
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: "\r\n\r\n".utf8) }) else { return nil }
            let lines = String(decoding: rest[..<end], as: UTF8.self).components()
            rest = rest[(end + 4)...]
            let words = lines[0].split(separator: " ")
            guard words.count > 1, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
                let status = Int(words[1])
            else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
            }
            guard let length = headers["content-length"].flatMap({ Int($0) }), rest.count >= length else { return nil }
            replies.append(
                RawReply(
                    version: String(words[0]), status: status, headers: headers,
                    body: String(decoding: rest.prefix(length), as: UTF8.self)))
            rest = rest.dropFirst(length)
        }
        return replies
    }
}

extension String {
    /// The lines of a head.
    fileprivate func components() -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in utf8 where byte != 13 {
            if byte == 10 {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                line.append(byte)
            }
        }
        return lines + [String(decoding: line, as: UTF8.self)]
    }
}
