struct TestRequest: Sendable {
    var method = "POST"
    var path: String
    var headers: [(String, String)]
    var body: [UInt8]
    /// Without it the request stays open after its body.
    var isComplete = true

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.0 == name }
        if let value { headers.append((name, value)) }
    }

    func with(_ name: String, _ value: String?) -> TestRequest {
        var copy = self
        copy.set(name, value)
        return copy
    }

    func with(body: String) -> TestRequest {
        var copy = self
        copy.body = Array(body.utf8)
        return copy
    }

    static func payload(_ event: String, note: String = "x") -> [UInt8] {
        let start =
            event == "start"
            ? #","attributes-type":"Match","attributes":{"id":1},"alert":{"title":"t","body":"b"}"# : ""
        return Array(
            #"{"aps":{"timestamp":1700000000,"event":"\#(event)","content-state":{"n":"\#(note)"}\#(start)}}"#.utf8)
    }
}

enum TestResult: Sendable, Equatable {
    case response(Response)
    case reset(code: UInt32)
    case connectionEnded
    case timedOut

    struct Response: Sendable, Equatable {
        var status = 0
        var headers: [String: String] = [:]
        var body = ""
        /// The HEADERS frame was the last of the stream.
        var isHeadersOnly = false
    }

    var response: Response? {
        if case .response(let response) = self { return response }
        return nil
    }

    var status: Int? { response?.status }

    /// The word of an error.
    var reason: String? {
        guard let body = response?.body, let start = body.firstRange(of: #""reason":""#) else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }
}
