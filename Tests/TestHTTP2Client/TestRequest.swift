package struct TestRequest: Sendable {
    package var method: String
    package var path: String
    package var headers: [(String, String)]
    package var body: [UInt8]
    /// True if the request ends after its body.
    package var isComplete = true

    package init(method: String = "POST", path: String, headers: [(String, String)], body: [UInt8]) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    package mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.0 == name }
        if let value { headers.append((name, value)) }
    }

    package func with(_ name: String, _ value: String?) -> TestRequest {
        var copy = self
        copy.set(name, value)
        return copy
    }

    package func with(body: String) -> TestRequest {
        var copy = self
        copy.body = Array(body.utf8)
        return copy
    }
}

/// The result of a request.
package enum TestResult: Sendable, Equatable {
    case response(Response)
    case reset(code: UInt32)
    case connectionEnded
    case timedOut

    package struct Response: Sendable, Equatable {
        package var status = 0
        package var headers: [String: String] = [:]
        package var body = ""
        /// True if the HEADERS frame was the last of the stream.
        package var isHeadersOnly = false
    }

    package var response: Response? {
        if case .response(let response) = self { return response }
        return nil
    }

    package var status: Int? { response?.status }

    /// The reason in the body of an error.
    package var reason: String? {
        guard let body = response?.body, let start = body.firstRange(of: #""reason":""#) else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }
}
