import LiveActivity
import MockKit

extension MockCounts {
    /// All counts as a JSON object, under their names in small letters with underscores.
    var json: [UInt8] {
        JSONWriter.object { counts in
            writePushes(to: &counts)
            writeConnections(to: &counts)
        }
    }

    private func writePushes(to counts: inout JSONObjectWriter) {
        counts.field("pushes", pushes)
        counts.field("pushes_to_nobody", pushesToNobody)
        counts.field("accepted", accepted)
        counts.counts("answers_by_status", answersByStatus) { String($0) }
        counts.counts("answers_by_reason", answersByReason) { $0 }
        counts.counts("pushes_by_type", pushesByType) { $0.rawValue }
        counts.counts("pushes_by_event", pushesByEvent) { $0.rawValue }
        counts.field("silenced", silenced)
        counts.field("streams_reset", streamsReset)
        counts.field("pushes_with_connection_closed", pushesWithConnectionClosed)
        counts.field("undelivered_answers", undeliveredAnswers)
        counts.field("unprocessed", unprocessed)
        counts.field("abandoned_requests", abandonedRequests)
    }

    private func writeConnections(to counts: inout JSONObjectWriter) {
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
