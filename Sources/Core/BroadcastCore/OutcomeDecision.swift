import Delivery
import TimeCore

/// The consequence of a push's outcome for its broadcast.
enum OutcomeDecision: Equatable {
    case accepted
    /// Final for this device. If nearly all devices are rejected, the cause may affect the whole broadcast.
    case failed(String, isRejection: Bool)
    /// Final for this token. If many tokens are rejected, the environment or app may be wrong.
    case tokenRejected(String)
    case tokenDead(String, since: UInt64?)
    /// The push may have been delivered and must not be sent again.
    case unknown
    /// Other gateways can continue, but this one cannot.
    case handOver
    /// The content is stale.
    case expired
    /// Retry after a wait at the earliest. The text is the reason of failure if no retry is possible. A push that the
    /// provider cannot have seen (`wasTried` false) then counts as unsent.
    case again(String, wasTried: Bool, wait: TimeInterval)

    static func of(_ outcome: PushOutcome, event: PushEvent) -> OutcomeDecision {
        switch outcome {
        case .accepted: .accepted
        case .rejected(let rejection): of(rejection)
        case .unsent(.unsendable, _):
            .failed(BroadcastTally.OwnReason.unsendable.rawValue, isRejection: false)
        // A second Live Activity is worse than a missing one. A repeated update does no harm.
        case .unsent(_, mayHaveBeenDelivered: true) where event == .start: .unknown
        // This gateway's client sends nothing any more.
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
        // After a refused credential the push client pauses until it is accepted again.
        case .again: .again(name, wasTried: true, wait: .zero)
        case .later: .again(name, wasTried: true, wait: wait)
        }
    }

    /// Reasons become keys of replies and records, so the provider's text is restricted: 1 to 64 letters, digits and
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
        // Not reached, because the broadcast was handed over.
        case .shutDown: .noConnection
        }
    }
}
