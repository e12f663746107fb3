import MockKit

/// What the mock has counted since its start.
public struct MockCounts: Sendable, Equatable {
    /// Pushes whose request was complete and processed, whatever the answer.
    public var pushes = 0
    /// Pushes to the token of 64 zeros, which are counted here alone and kept in no ledger.
    public var pushesToNobody = 0
    /// Pushes decided with 200.
    public var accepted = 0
    /// What was decided, by HTTP status.
    public var answersByStatus: [Int: Int] = [:]
    /// Errors decided, by reason.
    public var answersByReason: [String: Int] = [:]
    /// Pushes by `apns-push-type`; those of no known type are left out.
    public var pushesByType: [MockPushType: Int] = [:]
    /// Pushes by what they do; those that do not tell are left out.
    public var pushesByEvent: [MockPushEvent: Int] = [:]
    /// Pushes that a rule left without an answer, and nothing else.
    public var silenced = 0
    /// Pushes whose stream a rule reset in place of an answer.
    public var streamsReset = 0
    /// Pushes with which a rule ended the connection in place of an answer.
    public var pushesWithConnectionClosed = 0
    /// Answers that never left, because the stream or the connection ended before.
    public var undeliveredAnswers = 0
    /// Streams above the last stream id of a GOAWAY.
    public var unprocessed = 0
    /// Requests that the client gave up before they were complete.
    public var abandonedRequests = 0

    /// TCP connections accepted, including those refused or stalled by script.
    public var connectionsAccepted = 0
    /// Connections whose TLS handshake was completed, and those of them open now.
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
}

extension MockCounts {
    init(_ counts: ServerCounts) {
        pushes = counts.requests
        pushesToNobody = counts.asideByMark.values.reduce(0, +)
        accepted = counts.accepted
        answersByStatus = counts.answersByStatus
        answersByReason = counts.answersByReason
        for (mark, count) in counts.requestsByMark {
            if let type = PushMark(mark).type { pushesByType[type, default: 0] += count }
            if let event = PushMark(mark).event { pushesByEvent[event, default: 0] += count }
        }
        silenced = counts.silenced
        streamsReset = counts.streamsReset
        pushesWithConnectionClosed = counts.requestsWithConnectionClosed
        undeliveredAnswers = counts.undeliveredAnswers
        unprocessed = counts.unprocessed
        abandonedRequests = counts.abandonedRequests
        connectionsAccepted = counts.connectionsAccepted
        connectionsOpened = counts.connectionsOpened
        connectionsOpen = counts.connectionsOpen
        connectionsOverMaximum = counts.connectionsOverMaximum
        handshakesFailed = counts.handshakesFailed
        goAwaysSent = counts.goAwaysSent
        settingsSent = counts.settingsSent
        pingsReceived = counts.pingsReceived
        clientResets = counts.clientResets
        streamsRefused = counts.streamsRefused
        streamLimitViolations = counts.streamLimitViolations
        protocolErrors = counts.protocolErrors
        ledgerEntriesDropped = counts.ledgerEntriesDropped
    }
}
