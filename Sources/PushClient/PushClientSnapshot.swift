public import Delivery
public import MetricsCore

/// What a push client is doing, for health checks and metrics.
public struct PushClientSnapshot: Sendable, Equatable {
    public struct Connection: Sendable, Equatable {
        public enum State: String, Sendable, CaseIterable {
            case opening, awaitingSettings, ready, draining
        }

        /// The address in numbers, once one was tried.
        public var address: String?
        public var state: State
        /// Whether it carries only pushes to tokens that were rejected before.
        public var isForSuspects = false
        public var openStreams: Int
        public var streamLimit: Int
    }

    public var connections: [Connection] = []
    /// Pushes that are sent and not answered.
    public var inFlight = 0
    /// Pushes that wait for a stream.
    public var waiting = 0
    public var room = 0
    /// Whether the provider takes pushes.
    public var health = ProviderHealth.healthy
    /// Attempts to connect that failed in a row.
    public var failures = 0
    /// Why the last attempt failed or the last connection was lost; nil since the last success.
    public var lastFailure: String?
    public var counts = PushClientCounts()
    /// From when a push was taken until it was given to a connection, and from then until it was answered.
    public var queued = HistogramSnapshot()
    public var answered = HistogramSnapshot()
    /// How pushes have ended, each time that they were sent.
    public var outcomes: [Outcome] = []
    /// GOAWAYs by HTTP/2's error code; those beyond RFC 9113 are under the last one.
    public var goAways: [UInt64] = []
    /// The provider and the credential, by its public name.
    public var identity: ProviderIdentity?
    /// Seconds since the authorization in use was issued; nil when there is none.
    public var authorizationAge: UInt64?

    public struct Outcome: Sendable, Equatable {
        public let event: PushEvent
        public let name: PushOutcomeName
        public let count: UInt64
    }

    public init() {}

    /// Whether a push could be sent now.
    public var isConnected: Bool { connections.contains { $0.state == .ready } }
}

/// Totals since the client was made.
public struct PushClientCounts: Sendable, Equatable {
    public var accepted: UInt64 = 0
    public var rejected: UInt64 = 0
    public var unsent: UInt64 = 0
    /// Pushes put back because the provider refused the stream or the connection ended before they were written.
    public var requeued: UInt64 = 0
    public var connectionsOpened: UInt64 = 0
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
