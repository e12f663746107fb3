import LiveActivity
public import MockKit

extension MockFCM {
    /// What the mock has counted since its start.
    public struct Counts: Sendable, Equatable {
        /// What became of messages as requests, and of connections. Requests for access tokens and validations are not
        /// among its requests.
        public let server: ServerCounts

        /// Messages whose request was complete and processed, whatever the answer.
        public var messages: Int { server.requests }
        /// Messages decided with 200.
        public var accepted: Int { server.accepted }
        /// Messages that were only to be checked; they are counted here alone.
        public var validations: Int { server.asideByMark[RequestMark.validation] ?? 0 }
        /// Access tokens given out.
        public var tokensIssued: Int { server.asideByMark[RequestMark.tokenIssued] ?? 0 }
        /// Requests for access tokens, whatever the answer.
        public var tokenRequests: Int { server.asideByMark.values.reduce(0, +) - validations }
        /// Requests for access tokens that were refused, by error.
        public var tokenErrors: [TokenError: Int] {
            server.asideByMark.reduce(into: [:]) { errors, entry in
                if let error = RequestMark.tokenError(entry.key) { errors[error] = entry.value }
            }
        }
        /// Messages by what they do; those that do not tell are left out.
        public var messagesByEvent: [Event: Int] {
            server.requestsByMark.reduce(into: [:]) { events, entry in
                if let event = RequestMark.event(entry.key) { events[event, default: 0] += entry.value }
            }
        }
        /// Accepted messages with which a device has more collapse keys than it may.
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
