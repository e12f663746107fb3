import MetricsCore
import Reactor

/// What a client counts of its commands and connections, over all of its nodes. Confined to the reactor.
final class RedisMetrics {
    var roundTrips = LatencyHistogram()
    var commands: UInt64 = 0
    private(set) var failures = [UInt64](repeating: 0, count: RedisFailure.allCases.count)
    var connectionsOpened: UInt64 = 0
    var connectionsLost: UInt64 = 0
    var attemptsFailed: UInt64 = 0

    /// By `RedisRefusal`.
    private(set) var refusals = [UInt64](repeating: 0, count: RedisRefusal.allCases.count)
    /// Called with each refusal.
    var onRefusal: ((RedisRefusal, String) -> Void)?

    /// A server has refused a command.
    func refused(_ message: String) {
        failed(.rejected)
        let kind = RedisRefusal(errorReply: message)
        refusals[kind.rawValue] += 1
        onRefusal?(kind, message)
    }

    func failed(_ failure: RedisFailure) {
        failures[failure.rawValue] += 1
    }
}

/// How a command can fail.
public enum RedisFailure: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// There was no connection for it.
    case unavailable
    /// The connection was lost while it was under way.
    case connectionLost
    case timedOut
    /// The server refused it. Commands that a cluster sends elsewhere do not count.
    case rejected
    /// As many commands were under way as the client takes.
    case overloaded

    public var description: String {
        switch self {
        case .unavailable: "unavailable"
        case .connectionLost: "connection_lost"
        case .timedOut: "timed_out"
        case .rejected: "rejected"
        case .overloaded: "overloaded"
        }
    }
}
