import LiveActivity

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
        Self.write(answersByStatus, "answers_by_status", to: &counts) { String($0) }
        Self.write(answersByReason, "answers_by_reason", to: &counts) { $0 }
        Self.write(pushesByType, "pushes_by_type", to: &counts) { $0.rawValue }
        Self.write(pushesByEvent, "pushes_by_event", to: &counts) { $0.rawValue }
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

    private static func write<Key: Hashable>(
        _ map: [Key: Int], _ name: String, to counts: inout JSONObjectWriter, _ spelling: (Key) -> String
    ) {
        counts.object(name) { inner in
            for (key, count) in map.map({ (spelling($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
                inner.field(key, count)
            }
        }
    }
}
