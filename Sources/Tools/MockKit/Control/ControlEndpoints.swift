/// The operations of a mock that the control port offers. Callable on any thread.
package protocol MockControls: AnyObject, Sendable {
    /// Replaces the script before it returns. Throws, and keeps the current script, if the new one is invalid.
    func setScript(json: [UInt8]) throws(MockError)
    /// The text of the current script; nil if the script was set without text or the mock has stopped.
    func scriptText() -> [UInt8]?
    /// Returns at most `limit` lines of the ledger, from line `first` (from 0); nil if the mock keeps no ledger.
    func ledgerLines(from first: Int, limit: Int) -> [UInt8]?
    /// Returns the counts as a JSON object.
    func countsText() -> [UInt8]
    /// The names of the mock's further pages, each readable with GET.
    var pageNames: [String] { get }
    /// Returns a further page as a JSON object; nil if the mock has no page of this name.
    func page(_ name: String) -> [UInt8]?
}

extension MockControls {
    package var pageNames: [String] { [] }
    package func page(_ name: String) -> [UInt8]? { nil }
}

/// The routes of the control port.
enum ControlEndpoints {
    /// The maximum number of ledger lines in one answer.
    static let maximumLines = 10_000

    static func answer(_ request: ControlRequest, _ mock: any MockControls) -> ControlReply {
        let allowed: String
        switch (request.path, request.method) {
        case ("/mock/script", "GET"): return noQuery(request) ?? script(mock)
        case ("/mock/script", "PUT"): return noQuery(request) ?? setScript(request.body, mock)
        case ("/mock/ledger", "GET"): return ledger(request.query, mock)
        case ("/mock/counts", "GET"): return noQuery(request) ?? ControlReply(body: mock.countsText())
        case ("/mock/script", _): allowed = "GET, PUT"
        case ("/mock/ledger", _), ("/mock/counts", _): allowed = "GET"
        case (let path, let method):
            let names = ["script", "ledger", "counts"] + mock.pageNames
            guard path.hasPrefix("/mock/"), let page = mock.page(String(path.dropFirst("/mock/".count))) else {
                return .error(404, "the paths are \(names.map { "/mock/\($0)" }.joined(separator: ", "))")
            }
            if method == "GET" { return noQuery(request) ?? ControlReply(body: page) }
            allowed = "GET"
        }
        var reply = ControlReply.error(405, "the method must be \(allowed)")
        reply.fields["allow"] = allowed
        return reply
    }

    private static func noQuery(_ request: ControlRequest) -> ControlReply? {
        request.query.isEmpty ? nil : .error(400, "\(request.path) takes no parameters")
    }

    private static func script(_ mock: any MockControls) -> ControlReply {
        guard let text = mock.scriptText() else {
            return .error(404, "the script was set by the surrounding program and has no text")
        }
        return ControlReply(body: text)
    }

    private static func setScript(_ json: [UInt8], _ mock: any MockControls) -> ControlReply {
        do {
            try mock.setScript(json: json)
            return ControlReply(status: 204)
        } catch {
            return .error(400, error.description)
        }
    }

    private static func ledger(_ query: String, _ mock: any MockControls) -> ControlReply {
        var first = 0
        if !query.isEmpty {
            guard query.hasPrefix("since="), let number = Int(query.dropFirst(6)), number >= 0 else {
                return .error(400, "the only parameter is since, a number of lines from 0")
            }
            first = number
        }
        guard let lines = mock.ledgerLines(from: first, limit: maximumLines) else {
            return .error(404, "this mock has no ledger; it only counts")
        }
        return ControlReply(contentType: "application/x-ndjson", body: lines)
    }
}
