import MetricsCore
import Reactor

/// The counts of a client over all of its nodes. Confined to the reactor.
final class RedisMetrics {
    var roundTrips = LatencyHistogram()
    var commands: UInt64 = 0
    private(set) var failures = [UInt64](repeating: 0, count: RedisFailure.allCases.count)
    var connectionsOpened: UInt64 = 0
    var connectionsLost: UInt64 = 0
    var attemptsFailed: UInt64 = 0

    /// Refused commands by `RedisRefusal`.
    private(set) var refusals = [UInt64](repeating: 0, count: RedisRefusal.allCases.count)
    /// Called with each refusal.
    var onRefusal: ((RedisRefusal, String) -> Void)?

    /// Counts a refused command.
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

/// The kinds of failure of a command.
public enum RedisFailure: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// No connection was available.
    case unavailable
    /// The connection was lost while the command was in flight.
    case connectionLost
    case timedOut
    /// The server refused the command. Redirections of a cluster do not count.
    case rejected
    /// The client had the maximum number of commands.
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
