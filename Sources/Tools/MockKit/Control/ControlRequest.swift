/// A complete HTTP/1.1 request.
struct ControlRequest: Equatable {
    let method: String
    /// The path without the query.
    let path: String
    /// The undecoded text after the `?`; empty if the target has no query.
    let query: String
    let body: [UInt8]
}

/// An incremental parser of one HTTP/1.1 request (RFC 9112). It buffers at most `maximumHeadLength` and
/// `maximumBodyLength`. The caller stops at the first `complete` or `refused`.
struct ControlRequestReader {
    enum Progress: Equatable {
        case incomplete
        /// The client sends its body only after a 100 response (RFC 9110, section 10.1.1). Returned at most once.
        case expectsContinue
        case complete(ControlRequest)
        /// The request is invalid; answer with this status.
        case refused(status: Int, String)
    }

    /// In bytes, including the empty line.
    static let maximumHeadLength = 8_192
    /// In bytes; equal to the limit of a script file.
    static let maximumBodyLength = File.maximumLength

    /// A header field with its name in lower case.
    struct Field: Equatable {
        let name: String
        let value: String
    }

    /// The header fields in order; empty until the head is complete.
    var fields: [Field] { head?.fields ?? [] }

    private var bytes: [UInt8] = []
    private var head: Head?

    private struct Head {
        var method = ""
        var target = ""
        var length: Int?
        var fields: [Field] = []
        var expectsContinue = false
        /// The offset of the body in `bytes`.
        var end = 0
    }

    mutating func received(_ chunk: some Sequence<UInt8>) -> Progress {
        bytes += chunk
        if let head { return body(of: head) }
        guard let end = endOfHead() else {
            return bytes.count < Self.maximumHeadLength ? .incomplete : .refused(status: 431, "the head is too long")
        }
        guard end <= Self.maximumHeadLength else { return .refused(status: 431, "the head is too long") }
        do throws(Refusal) {
            var head = try Self.parse(bytes[..<(end - 4)])
            head.end = end
            self.head = head
            let progress = body(of: head)
            return progress == .incomplete && head.expectsContinue ? .expectsContinue : progress
        } catch {
            return .refused(status: error.status, error.text)
        }
    }

    private func body(of head: Head) -> Progress {
        let length = head.length ?? 0
        guard length <= Self.maximumBodyLength else {
            return .refused(status: 413, "the body is longer than \(Self.maximumBodyLength) bytes")
        }
        guard bytes.count - head.end >= length else { return .incomplete }
        let target = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return .complete(
            ControlRequest(
                method: head.method, path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
                body: Array(bytes[head.end..<(head.end + length)])))
    }

    private func endOfHead() -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count else { return nil }
        return (mark.count...min(bytes.count, Self.maximumHeadLength + mark.count)).first {
            bytes[($0 - mark.count)..<$0].elementsEqual(mark)
        }
    }

    // MARK: The head

    private struct Refusal: Error {
        var status = 400
        let text: String
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> Head {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Refusal(text: "the head is not UTF-8") }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", words[1].hasPrefix("/") else {
            throw Refusal(text: "the request is not valid HTTP/1.1")
        }
        var head = Head(method: String(words[0]), target: String(words[1]))
        for line in lines { try read(line, into: &head) }
        return head
    }

    private static func read(_ line: Substring, into head: inout Head) throws(Refusal) {
        guard let colon = line.firstIndex(of: ":") else { throw Refusal(text: "a header field has no colon") }
        let value = trimmed(line[colon...].dropFirst())
        let name = line[..<colon].lowercased()
        let isRepeated = head.fields.contains { $0.name == name }
        head.fields.append(Field(name: name, value: String(value)))
        switch name {
        case "host" where isRepeated: throw Refusal(text: "host is given twice")
        case "content-length":
            guard head.length == nil, let length = Int(value), length >= 0, value.allSatisfy(\.isNumber) else {
                throw Refusal(text: "content-length must be a single number")
            }
            head.length = length
        case "transfer-encoding": throw Refusal(status: 411, text: "content-length is required")
        case "expect": head.expectsContinue = value.lowercased() == "100-continue"
        default: return
        }
    }

    /// Removes spaces and tabs at both ends (RFC 9110, section 5.5).
    private static func trimmed(_ value: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var rest = value.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
