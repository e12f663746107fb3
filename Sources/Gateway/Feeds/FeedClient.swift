import FeedCore
import HTTPCalls
import TimeCore

/// Requests one feed.
final class FeedClient: Sendable {
    private let options: FeedOptions
    private let client: CallClient

    /// The outcome of a request.
    enum Answer: Sendable {
        /// 304 or 204.
        case unchanged
        case whole([UInt8], tag: String?)
        /// - Parameter detail: for the log, where the kind does not say it all.
        case failed(FeedFailure, retryAfter: TimeInterval? = nil, detail: String? = nil)
    }

    /// Throws when the file of certificates cannot be read.
    init(_ options: FeedOptions) throws {
        self.options = options
        var calls = CallClient.Options(caFile: options.caFile)
        calls.connectTimeout = options.timeout
        calls.bodyLimit = options.maximumBytes
        client = try CallClient(calls)
    }

    /// Ends the request under way. Later requests fail.
    func close() { client.close() }

    /// Requests the feed's content.
    /// - Parameter tag: the feed's tag of the known content, which is not sent again; nil for all.
    func get(after tag: String?) async -> Answer {
        switch await client.call(request(tag), deadline: options.timeout) {
        case .success(let answer):
            switch FeedAnswer(status: Int(answer.status), wasConditional: tag != nil) {
            case .unchanged: .unchanged
            case .failed(let failure):
                .failed(failure, retryAfter: answer.retryAfter, detail: "status \(answer.status)")
            case .whole: .whole(answer.body, tag: FeedClient.tag(answer))
            }
        case .failure(let failure):
            switch failure.kind {
            case .tooLong: .failed(.tooLarge)
            case .timeout: .failed(.timeout)
            case .tls: .failed(.tls, detail: failure.description)
            case .connection, .refused: .failed(.connection, detail: failure.description)
            }
        }
    }

    private func request(_ tag: String?) -> HTTPCall {
        var fields = options.headers.fields.map { ($0.name, $0.value) }
        let names = Set(fields.map { $0.0.lowercased() })
        fields += [("accept", "application/json"), ("user-agent", "fanfare")].filter { !names.contains($0.0) }
        if let tag { fields.append(("if-none-match", tag)) }
        return HTTPCall(.get, options.url, fields: fields) { status in
            FeedAnswer(status: Int(status), wasConditional: tag != nil) == .whole
        }
    }

    private static let longestTag = 1024

    private static func tag(_ answer: HTTPAnswer) -> String? {
        guard let tag = answer[field: "etag"], (1...longestTag).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return tag
    }
}
