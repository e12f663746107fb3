import LiveActivity

/// What a server of a mock has counted since its start.
public struct ServerCounts: Sendable, Equatable {
    /// Requests that were whole and processed, whatever the answer.
    public var requests = 0
    /// Of these, those decided with 200.
    public var accepted = 0
    /// Of these, what was decided, by HTTP status.
    public var answersByStatus: [Int: Int] = [:]
    /// Of these, errors decided, by reason.
    public var answersByReason: [String: Int] = [:]
    /// Of these, by what the service marked them with.
    public var requestsByMark: [UInt16: Int] = [:]
    /// Requests that the service answers on the side, by what it marked them with; they are counted here alone.
    public var asideByMark: [UInt16: Int] = [:]
    /// Requests that a rule left without an answer, and nothing else.
    public var silenced = 0
    /// Requests whose stream a rule reset in place of an answer.
    public var streamsReset = 0
    /// Requests with which a rule ended the connection in place of an answer.
    public var requestsWithConnectionClosed = 0
    /// Answers that never left, because the stream or the connection ended before.
    public var undeliveredAnswers = 0
    /// Streams above the last stream id of a GOAWAY.
    public var unprocessed = 0
    /// Requests that the client gave up before they were complete.
    public var abandonedRequests = 0

    /// TCP connections accepted, including those refused or stalled by script.
    public var connectionsAccepted = 0
    /// Connections whose TLS handshake was completed.
    public var connectionsOpened = 0
    /// Of these, those open now.
    public var connectionsOpen = 0
    /// Connections turned away because the maximum was open.
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
    /// Streams refused that came while a lower limit was on its way to the client: nobody's fault.
    public var streamsRefused = 0
    /// Streams above a limit that the client had acknowledged: its fault.
    public var streamLimitViolations = 0
    /// Other breaches of HTTP/2 by the client.
    public var protocolErrors = 0
    /// Entries that the ledger had no room for.
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

    /// What became of streams and connections, under the counts' names in small letters with underscores.
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
    /// A member with an object of counts, in the order of their names.
    package mutating func counts<Key>(_ name: String, _ counts: [Key: Int], _ spelling: (Key) -> String) {
        object(name) { inner in
            for (key, count) in counts.map({ (spelling($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
                inner.field(key, count)
            }
        }
    }
}
