import Delivery
import FlatMemory
import MetricsCore

/// The counts of a client's pushes and connections. Plain numbers on the reactor's thread; other threads get a copy.
struct PushMetrics: ~Copyable {
    /// The times from accepting a push until its hand-over to a connection.
    var queued = LatencyHistogram()
    /// The times from the hand-over to a connection until the answer.
    var answered = LatencyHistogram()
    /// GOAWAYs by their error code.
    private(set) var goAways = [UInt64](repeating: 0, count: PushMetrics.errorCodes + 1)
    let names: PushOutcomeNames
    /// A row for each event.
    private var outcomes = PlainBuffer<UInt64>()

    /// The first code that RFC 9113, section 7, does not define. It and higher ones count together.
    private static let errorCodes = 14

    init(_ names: PushOutcomeNames) {
        self.names = names
        for _ in 0..<(PushEvent.allCases.count * names.all.count) { outcomes.append(0) }
    }

    mutating func ended(_ event: PushEvent, _ outcome: Int, count: Int) {
        outcomes[event.index * names.all.count + outcome] += UInt64(count)
    }

    mutating func goAwayReceived(errorCode: UInt32) {
        goAways[min(Int(errorCode), PushMetrics.errorCodes)] += 1
    }

    func outcomes(_ event: PushEvent) -> [UInt64] {
        let start = event.index * names.all.count
        return Array(outcomes.all[start..<(start + names.all.count)])
    }
}

/// The name of a push's outcome, from a bounded list that does not depend on the provider's answers.
public struct PushOutcomeName: Hashable, Sendable {
    /// The kind of outcome; the raw values are labels of metrics.
    public enum Kind: String, Sendable {
        /// The provider answered 200.
        case accepted
        /// The provider answered with another status.
        case rejected
        /// No answer arrived, and the push cannot have been processed.
        case unsent
        /// No answer arrived, and the push may have been processed.
        case unanswered
    }

    /// The kind of outcome.
    public let kind: Kind
    /// The provider's reason, or the gateway's name for the cause of a missing answer; empty with `accepted`.
    public let reason: String
}
