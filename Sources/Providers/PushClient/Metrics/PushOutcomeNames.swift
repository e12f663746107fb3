import Delivery

/// The names of all outcomes that a client counts, in a fixed order that does not depend on answers.
struct PushOutcomeNames {
    /// All names, `accepted` first.
    let all: [PushOutcomeName]
    private let places: [PushOutcomeName: Int]

    static let accepted = 0
    /// The name for an answer without a readable reason.
    private static let noReason = "none"
    /// The name for reasons that the provider does not document.
    private static let otherReason = "other"

    /// - Parameter reasons: The provider's documented reasons.
    init(reasons: [String]) {
        let reasons = reasons + [PushOutcomeNames.noReason, PushOutcomeNames.otherReason]
        let causes = ["TimedOut", "NoConnection", "NoCapacity", "ConnectionLost", "StreamReset", "RefusedTooOften"]
        all =
            [PushOutcomeName(kind: .accepted, reason: "")]
            + reasons.map { PushOutcomeName(kind: .rejected, reason: $0) }
            + (causes + ["Expired", "Unsendable", "ShutDown"]).map { PushOutcomeName(kind: .unsent, reason: $0) }
            + (causes + ["ShutDown"]).map { PushOutcomeName(kind: .unanswered, reason: $0) }
        places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
    }

    /// The index of an outcome in `all`.
    func place(_ outcome: PushOutcome) -> Int {
        switch outcome {
        case .accepted: return PushOutcomeNames.accepted
        case .rejected(let rejection):
            let reason = rejection.reason.isEmpty ? PushOutcomeNames.noReason : rejection.reason
            return places[PushOutcomeName(kind: .rejected, reason: reason)]
                ?? place(.rejected, PushOutcomeNames.otherReason)
        case .unsent(let cause, let mayHaveBeenDelivered):
            return place(mayHaveBeenDelivered ? .unanswered : .unsent, PushOutcomeNames.name(cause))
        }
    }

    private func place(_ kind: PushOutcomeName.Kind, _ reason: String) -> Int {
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
