import Delivery
import TimeCore

/// What the outcome of one push means for its broadcast.
enum OutcomeDecision: Equatable {
    case accepted
    /// Final for this device; a rejection by the provider is a sign of something worse when it is nearly every
    /// device's.
    case failed(String, isRejection: Bool)
    /// Final for this token, and likewise a sign.
    case tokenRejected(String)
    case tokenDead(String, since: UInt64?)
    /// The push may have been delivered and must not be sent again.
    case unknown
    /// Others can go on, this gateway cannot.
    case handOver
    /// The content is stale.
    case expired
    /// Try again, not before a wait. What it counts as when that is not possible, if the provider may have seen the
    /// push; one that it cannot have seen counts as unsent.
    case again(String, wasTried: Bool, wait: TimeInterval)

    static func of(_ outcome: PushOutcome, event: PushEvent) -> OutcomeDecision {
        switch outcome {
        case .accepted: .accepted
        case .rejected(let rejection): of(rejection)
        case .unsent(.unsendable, _):
            .failed(BroadcastTally.OwnReason.unsendable.rawValue, isRejection: false)
        // A second Live Activity is worse than a missing one; an update is the same however often it comes.
        case .unsent(_, mayHaveBeenDelivered: true) where event == .start: .unknown
        // This client sends nothing any more.
        case .unsent(.shutDown, _): .handOver
        case .unsent(.expired, _): .expired
        case .unsent(let cause, let wasTried): .again(name(cause).rawValue, wasTried: wasTried, wait: .zero)
        }
    }

    private static func of(_ rejection: Rejection) -> OutcomeDecision {
        let name = isSane(rejection.reason) ? rejection.reason : "Status\(rejection.status)"
        let wait = TimeInterval.seconds(Int(rejection.retryAfter ?? 0))
        return switch rejection.classification.verdict {
        case .addressDead: .tokenDead(name, since: rejection.deadSince)
        case .addressRefused: .tokenRejected(name)
        case .requestRefused: .failed(name, isRejection: true)
        // When the credential is refused, the push client pauses until it is taken again.
        case .again: .again(name, wasTried: true, wait: .zero)
        case .later: .again(name, wasTried: true, wait: wait)
        }
    }

    /// Reasons become keys of replies and records, so what comes from outside is bounded: 1 to 64 letters, digits and
    /// underscores.
    private static func isSane(_ reason: String) -> Bool {
        (1...64).contains(reason.utf8.count)
            && reason.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F
            }
    }

    private static func name(_ cause: UnsentCause) -> BroadcastTally.OwnReason {
        switch cause {
        case .timedOut, .connectionLost, .streamReset: .noAnswer
        case .noConnection, .noCapacity: .noConnection
        case .refusedTooOften: .refused
        case .unsendable: .unsendable
        case .expired: .expired
        // Decided before: the broadcast is handed over.
        case .shutDown: .noConnection
        }
    }
}
