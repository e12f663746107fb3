import LiveActivity

/// The counts of a mock's server since its start.
public struct ServerCounts: Sendable, Equatable {
    /// Complete requests that were processed, including rejected ones.
    public var requests = 0
    /// Processed requests with the status 200.
    public var accepted = 0
    /// Processed requests by HTTP status.
    public var answersByStatus: [Int: Int] = [:]
    /// Processed requests that were rejected, by reason.
    public var answersByReason: [String: Int] = [:]
    /// Processed requests by the service's mark.
    public var requestsByMark: [UInt16: Int] = [:]
    /// Requests with `MockDecision.isAside`, by the service's mark. No other count includes them.
    public var asideByMark: [UInt16: Int] = [:]
    /// Processed requests that a rule left unanswered on an open stream.
    public var silenced = 0
    /// Processed requests whose stream a rule reset.
    public var streamsReset = 0
    /// Processed requests whose connection a rule closed.
    public var requestsWithConnectionClosed = 0
    /// Answers that were not sent because the stream or the connection ended first.
    public var undeliveredAnswers = 0
    /// Streams above the last stream id of a GOAWAY.
    public var unprocessed = 0
    /// Requests that the client aborted before they were complete.
    public var abandonedRequests = 0

    /// Accepted TCP connections, including those over the maximum and those that the script reset or stalled.
    public var connectionsAccepted = 0
    /// Connections with a completed TLS handshake.
    public var connectionsOpened = 0
    /// Connections with a completed TLS handshake that are still open.
    public var connectionsOpen = 0
    /// Connections closed at once because the maximum was open.
    public var connectionsOverMaximum = 0
    /// Connections that ended before their TLS handshake was complete.
    public var handshakesFailed = 0
    /// GOAWAY frames sent.
    public var goAwaysSent = 0
    /// SETTINGS frames sent, without acknowledgements.
    public var settingsSent = 0
    /// PING frames received.
    public var pingsReceived = 0
    /// Streams that the client reset.
    public var clientResets = 0
    /// Streams refused because they crossed a lowered limit that the client had not acknowledged yet.
    public var streamsRefused = 0
    /// Streams above a limit that the client had acknowledged.
    public var streamLimitViolations = 0
    /// Other HTTP/2 errors of the client.
    public var protocolErrors = 0
    /// Entries dropped because the ledger was full.
    public var ledgerEntriesDropped = 0

    public init() {}

    mutating func add(_ decision: MockDecision) {
        requests += 1
        requestsByMark[decision.mark, default: 0] += 1
        switch decision.outcome {
        case .answer(let answer):
            answersByStatus[answer.status, default: 0] += 1
            if answer.status == 200 { accepted += 1 }
            if let reason = answer.reason { answersByReason[reason, default: 0] += 1 }
        case .silence: silenced += 1
        case .reset: streamsReset += 1
        case .close: requestsWithConnectionClosed += 1
        }
    }

    // MARK: As JSON

    /// Writes the counts of streams and connections, with names in snake case.
    package func writeConnections(to counts: inout JSONObjectWriter) {
        counts.field("undelivered_answers", undeliveredAnswers)
        counts.field("unprocessed", unprocessed)
        counts.field("abandoned_requests", abandonedRequests)
        counts.field("connections_accepted", connectionsAccepted)
        counts.field("connections_opened", connectionsOpened)
        counts.field("connections_open", connectionsOpen)
        counts.field("connections_over_maximum", connectionsOverMaximum)
        counts.field("handshakes_failed", handshakesFailed)
        counts.field("go_aways_sent", goAwaysSent)
        counts.field("settings_sent", settingsSent)
        counts.field("pings_received", pingsReceived)
        counts.field("client_resets", clientResets)
        counts.field("streams_refused", streamsRefused)
        counts.field("stream_limit_violations", streamLimitViolations)
        counts.field("protocol_errors", protocolErrors)
        counts.field("ledger_entries_dropped", ledgerEntriesDropped)
    }
}

extension JSONObjectWriter {
    /// Writes a member with an object of counts, sorted by name.
    package mutating func counts<Key>(_ name: String, _ counts: [Key: Int], _ spelling: (Key) -> String) {
        object(name) { inner in
            for (key, count) in counts.map({ (spelling($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
                inner.field(key, count)
            }
        }
    }
}
