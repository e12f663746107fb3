import LiveActivity
public import MockKit

extension MockFCM {
    /// The counts of the mock since its start.
    public struct Counts: Sendable, Equatable {
        /// The counts of messages as requests, and of connections. Validations and requests for access tokens count
        /// only in `asideByMark`.
        public let server: ServerCounts

        /// Complete messages that were processed, including rejected ones.
        public var messages: Int { server.requests }
        /// Messages with the status 200.
        public var accepted: Int { server.accepted }
        /// Messages that were only validated. No other count includes them.
        public var validations: Int { server.asideByMark[RequestMark.validation] ?? 0 }
        /// Access tokens issued.
        public var tokensIssued: Int { server.asideByMark[RequestMark.tokenIssued] ?? 0 }
        /// Requests for access tokens, including rejected ones.
        public var tokenRequests: Int { server.asideByMark.values.reduce(0, +) - validations }
        /// Rejected requests for access tokens, by error.
        public var tokenErrors: [TokenError: Int] {
            server.asideByMark.reduce(into: [:]) { errors, entry in
                if let error = RequestMark.tokenError(entry.key) { errors[error] = entry.value }
            }
        }
        /// Messages by event, without those that name none.
        public var messagesByEvent: [Event: Int] {
            server.requestsByMark.reduce(into: [:]) { events, entry in
                if let event = RequestMark.event(entry.key) { events[event, default: 0] += entry.value }
            }
        }
        /// Accepted messages that exceeded the device's number of collapse keys.
        public var surplusCollapseKeys: Int {
            server.requestsByMark.reduce(0) { $0 + ($1.key & RequestMark.tooManyKeys != 0 ? $1.value : 0) }
        }

        init(_ server: ServerCounts) {
            self.server = server
        }
    }
}

extension MockFCM.Counts {
    /// All counts as a JSON object.
    var json: [UInt8] {
        JSONWriter.object { counts in
            counts.field("messages", messages)
            counts.field("accepted", accepted)
            counts.counts("answers_by_status", server.answersByStatus) { String($0) }
            counts.counts("answers_by_reason", server.answersByReason) { $0 }
            counts.counts("messages_by_event", messagesByEvent) { $0.rawValue }
            counts.field("validations", validations)
            counts.field("token_requests", tokenRequests)
            counts.field("tokens_issued", tokensIssued)
            counts.counts("token_errors", tokenErrors) { $0.rawValue }
            counts.field("surplus_collapse_keys", surplusCollapseKeys)
            counts.field("silenced", server.silenced)
            counts.field("streams_reset", server.streamsReset)
            counts.field("messages_with_connection_closed", server.requestsWithConnectionClosed)
            server.writeConnections(to: &counts)
        }
    }
}
