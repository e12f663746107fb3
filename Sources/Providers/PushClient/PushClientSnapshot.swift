public import Delivery
public import MetricsCore

/// What a push client is doing, for health checks and metrics.
public struct PushClientSnapshot: Sendable, Equatable {
    /// A connection of the pool, from the attempt to its end.
    public struct Connection: Sendable, Equatable {
        /// What it can do: nothing before `ready`; when `draining` it takes no new streams, and those open may finish.
        public enum State: String, Sendable, CaseIterable {
            case opening, awaitingSettings, ready, draining
        }

        /// The address in numbers, once one was tried.
        public var address: String?
        /// How far it is.
        public var state: State
        /// Whether it carries only pushes to tokens that were rejected before.
        public var isForSuspects = false
        /// Pushes on it that are not answered.
        public var openStreams: Int
        /// How many streams the provider allows on it.
        public var streamLimit: Int
    }

    /// All of the pool, in no particular order.
    public var connections: [Connection] = []
    /// Pushes that are sent and not answered.
    public var inFlight = 0
    /// Pushes that wait for a stream.
    public var waiting = 0
    /// How many more pushes would be taken; see `PushClient.room`.
    public var room = 0
    /// Whether the provider takes pushes.
    public var health = ProviderHealth.healthy
    /// Attempts to connect that failed in a row.
    public var failures = 0
    /// Why the last attempt failed or the last connection was lost; nil since the last success.
    public var lastFailure: String?
    /// Totals since the client was made.
    public var counts = PushClientCounts()
    /// From when a push was taken until it was given to a connection.
    public var queued = HistogramSnapshot()
    /// From when a push was given to a connection until it was answered.
    public var answered = HistogramSnapshot()
    /// How pushes have ended, each time that they were sent.
    public var outcomes: [Outcome] = []
    /// GOAWAYs by HTTP/2's error code; those beyond RFC 9113 are under the last one.
    public var goAways: [UInt64] = []
    /// The provider and the credential, by its public name.
    public var identity: ProviderIdentity?
    /// Seconds since the authorization in use was issued; nil when there is none.
    public var authorizationAge: UInt64?

    /// How often pushes of one event have ended in one way.
    public struct Outcome: Sendable, Equatable {
        /// What was pushed.
        public let event: PushEvent
        /// How it ended.
        public let name: PushOutcomeName
        /// Since the client was made; never 0.
        public let count: UInt64
    }

    public init() {}

    /// Whether a push could be sent now.
    public var isConnected: Bool { connections.contains { $0.state == .ready } }
}

/// Totals since the client was made.
public struct PushClientCounts: Sendable, Equatable {
    /// Pushes that the provider answered with 200.
    public var accepted: UInt64 = 0
    /// Pushes that the provider answered with anything else.
    public var rejected: UInt64 = 0
    /// Pushes that were not answered, whether they were sent or not.
    public var unsent: UInt64 = 0
    /// Pushes put back because the provider refused the stream or the connection ended before they were written.
    public var requeued: UInt64 = 0
    /// Connections on which TLS and ALPN succeeded.
    public var connectionsOpened: UInt64 = 0
    /// Connections of these that ended by themselves, or did not answer a PING.
    public var connectionsLost: UInt64 = 0
    /// Attempts to connect that failed.
    public var attemptsFailed: UInt64 = 0
    /// Connections that were replaced because they failed while others served.
    public var connectionsEjected: UInt64 = 0
    /// Pushes that tried whether a provider in trouble serves again.
    public var probes: UInt64 = 0
    /// Authorizations that were used one after the other, its own and shared ones.
    public var authorizations: UInt64 = 0
    /// Shared ones that could not be used, because they were sealed with another key, or damaged.
    public var unusableAuthorizations: UInt64 = 0

    public init() {}
}
