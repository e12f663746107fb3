import LiveActivity
import MockKit

extension MockCounts {
    /// All counts as a JSON object, with names in snake case.
    var json: [UInt8] {
        JSONWriter.object { counts in
            counts.field("pushes", pushes)
            counts.field("pushes_to_nobody", pushesToNobody)
            counts.field("accepted", server.accepted)
            counts.counts("answers_by_status", server.answersByStatus) { String($0) }
            counts.counts("answers_by_reason", server.answersByReason) { $0 }
            counts.counts("pushes_by_type", pushesByType) { $0.rawValue }
            counts.counts("pushes_by_event", pushesByEvent) { $0.rawValue }
            counts.field("publishes", publishes)
            counts.counts("publishes_by_event", publishesByEvent) { $0.rawValue }
            counts.counts("channel_calls", channelCalls) { $0.rawValue }
            counts.counts("channel_calls_carried_out", channelCallsCarriedOut) { $0.rawValue }
            counts.field("silenced", server.silenced)
            counts.field("streams_reset", server.streamsReset)
            counts.field("pushes_with_connection_closed", pushesWithConnectionClosed)
            server.writeConnections(to: &counts)
        }
    }
}
