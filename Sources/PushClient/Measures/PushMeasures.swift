import FlatMemory
import MetricsCore
import PushProtocol

/// What a client counts of its pushes and connections. Plain numbers on the reactor's thread; others get a copy.
struct PushMeasures: ~Copyable {
    /// From when a push was taken until it was given to a connection.
    var queued = LatencyHistogram()
    /// From then until it was answered.
    var answered = LatencyHistogram()
    /// GOAWAYs by their error code.
    private(set) var goAways = [UInt64](repeating: 0, count: PushMeasures.errorCodes + 1)
    /// A row for each event.
    private var outcomes = PlainBuffer<UInt64>()

    /// Codes from this one on are not in RFC 9113, section 7, and count together.
    private static let errorCodes = 14

    init() {
        for _ in 0..<(PushEvent.allCases.count * PushOutcomeName.all.count) { outcomes.append(0) }
    }

    mutating func ended(_ event: PushEvent, _ outcome: Int, count: Int) {
        outcomes[event.row * PushOutcomeName.all.count + outcome] += UInt64(count)
    }

    mutating func goAwayReceived(errorCode: UInt32) {
        goAways[min(Int(errorCode), PushMeasures.errorCodes)] += 1
    }

    func outcomes(_ event: PushEvent) -> [UInt64] {
        let start = event.row * PushOutcomeName.all.count
        return Array(outcomes.all[start..<(start + PushOutcomeName.all.count)])
    }
}

extension PushEvent {
    fileprivate var row: Int {
        switch self {
        case .start: 0
        case .update: 1
        case .end: 2
        }
    }
}

/// How a push can end, from a list that is bounded whatever the provider says.
public struct PushOutcomeName: Hashable, Sendable {
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

    public let kind: Kind
    /// The provider's reason, or a name of ours for why there was no answer; empty with `accepted`.
    public let reason: String

    /// An answer without a reason that could be read.
    static let noReason = "none"
    /// Reasons that are not in the provider's table.
    static let otherReason = "other"

    /// All there are, `accepted` first.
    static let all: [PushOutcomeName] = {
        let reasons = RejectionReason.known.map(\.name) + [noReason, otherReason]
        let causes = ["TimedOut", "NoConnection", "NoCapacity", "ConnectionLost", "StreamReset", "RefusedTooOften"]
        return [PushOutcomeName(kind: .accepted, reason: "")]
            + reasons.map { PushOutcomeName(kind: .rejected, reason: $0) }
            + (causes + ["Expired", "Unsendable", "ShutDown"]).map { PushOutcomeName(kind: .unsent, reason: $0) }
            + (causes + ["ShutDown"]).map { PushOutcomeName(kind: .unanswered, reason: $0) }
    }()

    static let accepted = 0
    private static let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })

    /// The place of an outcome in `all`.
    static func place(_ outcome: PushOutcome) -> Int {
        switch outcome {
        case .accepted: return accepted
        case .rejected(let rejection):
            let reason = rejection.reason == .missing ? noReason : rejection.reason.name
            return places[PushOutcomeName(kind: .rejected, reason: reason)] ?? place(.rejected, otherReason)
        case .unsent(let cause, let mayHaveBeenDelivered):
            return place(mayHaveBeenDelivered ? .unanswered : .unsent, name(cause))
        }
    }

    private static func place(_ kind: Kind, _ reason: String) -> Int {
        places[PushOutcomeName(kind: kind, reason: reason)] ?? places.count - 1
    }

    private static func name(_ cause: UnsentCause) -> String {
        switch cause {
        case .timedOut: "TimedOut"
        case .noConnection: "NoConnection"
        case .noCapacity: "NoCapacity"
        case .connectionLost: "ConnectionLost"
        case .streamReset: "StreamReset"
        case .refusedTooOften: "RefusedTooOften"
        case .expired: "Expired"
        case .unsendable: "Unsendable"
        case .shutDown: "ShutDown"
        }
    }
}
