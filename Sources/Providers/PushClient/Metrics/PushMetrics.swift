import Delivery
import FlatMemory
import MetricsCore

/// What a client counts of its pushes and connections. Plain numbers on the reactor's thread; others get a copy.
struct PushMetrics: ~Copyable {
    /// From when a push was taken until it was given to a connection.
    var queued = LatencyHistogram()
    /// From then until it was answered.
    var answered = LatencyHistogram()
    /// GOAWAYs by their error code.
    private(set) var goAways = [UInt64](repeating: 0, count: PushMetrics.errorCodes + 1)
    let names: PushOutcomeNames
    /// A row for each event.
    private var outcomes = PlainBuffer<UInt64>()

    /// Codes from this one on are not in RFC 9113, section 7, and count together.
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

/// How a push can end, from a list that is bounded whatever the provider says.
public struct PushOutcomeName: Hashable, Sendable {
    /// What is known of the push; the raw values are labels of metrics.
    public enum Kind: String, Sendable {
        /// The provider answered 200.
        case accepted
        /// It answered anything else.
        case rejected
        /// There was no answer, and the push cannot have been processed.
        case unsent
        /// There was no answer, and nobody knows.
        case unanswered
    }

    /// How it ended, for whatever reason.
    public let kind: Kind
    /// The provider's reason, or a name of ours for why there was no answer; empty with `accepted`.
    public let reason: String
}
