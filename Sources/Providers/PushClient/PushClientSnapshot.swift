public import Delivery
public import MetricsCore

/// The state of a push client, for health checks and metrics.
public struct PushClientSnapshot: Sendable, Equatable {
    /// A connection of the pool, from the attempt to its end.
    public struct Connection: Sendable, Equatable {
        /// The state of a connection. It is unusable before `ready`; when `draining` it accepts no new streams.
        public enum State: String, Sendable, CaseIterable {
            case opening, awaitingSettings, ready, draining
        }

        /// The numeric address; nil before an attempt at one.
        public var address: String?
        /// The state of the connection.
        public var state: State
        /// True if the connection carries only pushes to suspect tokens.
        public var isForSuspects = false
        /// The number of unanswered pushes.
        public var openStreams: Int
        /// The provider's stream limit.
        public var streamLimit: Int
    }

    /// All connections of the pool, in no particular order.
    public var connections: [Connection] = []
    /// The number of sent pushes without an answer.
    public var inFlight = 0
    /// The number of pushes that wait for a stream.
    public var waiting = 0
    /// The number of pushes that would be accepted; see `PushClient.room`.
    public var room = 0
    /// The health of the provider.
    public var health = ProviderHealth.healthy
    /// The number of failed connection attempts in a row.
    public var failures = 0
    /// The error of the last failed attempt or lost connection; nil since the last success.
    public var lastFailure: String?
    /// Totals since the creation of the client.
    public var counts = PushClientCounts()
    /// The times from accepting a push until its hand-over to a connection.
    public var queued = HistogramSnapshot()
    /// The times from the hand-over to a connection until the answer.
    public var answered = HistogramSnapshot()
    /// The outcomes of pushes, one for each time that they were sent.
    public var outcomes: [Outcome] = []
    /// GOAWAYs by HTTP/2 error code; codes that RFC 9113 does not define count under the last index.
    public var goAways: [UInt64] = []
    /// The provider, and the public name of the credential.
    public var identity: ProviderIdentity?
    /// The age of the present authorization in seconds; nil without one.
    public var authorizationAge: UInt64?

    /// The count of one outcome of one event.
    public struct Outcome: Sendable, Equatable {
        /// The event of the pushes.
        public let event: PushEvent
        /// The outcome.
        public let name: PushOutcomeName
        /// The count since the creation of the client; it may be 0.
        public let count: UInt64
    }

    public init() {}

    /// True if a push could be sent now.
    public var isConnected: Bool { connections.contains { $0.state == .ready } }
}

/// Totals since the creation of the client.
public struct PushClientCounts: Sendable, Equatable {
    /// Pushes that the provider answered with 200.
    public var accepted: UInt64 = 0
    /// Pushes that the provider answered with another status.
    public var rejected: UInt64 = 0
    /// Pushes without an answer, sent or not.
    public var unsent: UInt64 = 0
    /// Pushes that were requeued: the provider refused the stream, or the connection ended before they were written.
    public var requeued: UInt64 = 0
    /// Connections on which TLS and ALPN succeeded.
    public var connectionsOpened: UInt64 = 0
    /// Connections of these that ended unexpectedly or did not answer a PING.
    public var connectionsLost: UInt64 = 0
    /// Failed connection attempts.
    public var attemptsFailed: UInt64 = 0
    /// Connections that were replaced because they failed while others served.
    public var connectionsEjected: UInt64 = 0
    /// Pushes that probed a provider in trouble.
    public var probes: UInt64 = 0
    /// Authorizations that were used, self-signed and shared ones.
    public var authorizations: UInt64 = 0
    /// Shared authorizations that were unusable: sealed with another key, or damaged.
    public var unusableAuthorizations: UInt64 = 0

    public init() {}
}
