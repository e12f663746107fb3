import PushProtocol
import TimeCore

/// What the outcome of one push means for its broadcast.
enum Judgement: Equatable {
    case accepted
    /// Final for this device.
    case failed(String)
    /// Final, and a sign of a wrong environment when it is nearly every device's.
    case tokenRejected(String)
    case tokenDead(String, since: UInt64?)
    /// The push may have been delivered and must not be sent again.
    case unknown
    /// Final for the whole broadcast.
    case stop(String)
    /// Others can go on, this gateway cannot.
    case handOver
    /// Try again: what it counts as when that is not possible, how many attempts at most, and the shortest wait.
    case again(String, limit: Int?, wait: TimeInterval)

    static func of(_ outcome: PushOutcome, event: PushEvent) -> Judgement {
        switch outcome {
        case .accepted: .accepted
        case .rejected(let rejection): of(rejection)
        case .unsent(.unsendable, _): .failed(BroadcastTally.OwnReason.unsendable.rawValue)
        // A second card is worse than a missing one; an update is the same however often it comes.
        case .unsent(_, mayHaveBeenDelivered: true) where event == .start: .unknown
        // This client sends nothing any more.
        case .unsent(.shutDown, _): .handOver
        case .unsent(let cause, _): .again(name(cause).rawValue, limit: nil, wait: .zero)
        }
    }

    private static func of(_ rejection: Rejection) -> Judgement {
        let name = isSane(rejection.reason.name) ? rejection.reason.name : "Status\(rejection.status)"
        let wait = TimeInterval.seconds(Int(rejection.retryAfter ?? 0))
        return switch rejection.disposition {
        case .dropToken: .tokenDead(name, since: rejection.unregisteredSince)
        case .quarantineToken: .tokenRejected(name)
        case .failBroadcast, .credentialBad: .stop(name)
        case .renewProviderToken: .again(name, limit: 2, wait: .zero)
        case .keepProviderTokenAndWait, .retryLater: .again(name, limit: nil, wait: wait)
        case .newConnectionAndRetry: .again(name, limit: nil, wait: .zero)
        case .neverRetry: .failed(name)
        }
    }

    /// Reasons become keys of replies and records, so what comes from outside is bounded: 1 to 64 letters and digits.
    private static func isSane(_ reason: String) -> Bool {
        (1...64).contains(reason.utf8.count)
            && reason.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
    }

    private static func name(_ cause: UnsentCause) -> BroadcastTally.OwnReason {
        switch cause {
        case .timedOut, .connectionLost, .streamReset: .noAnswer
        case .noConnection, .noCapacity: .noConnection
        case .refusedTooOften: .refused
        case .unsendable: .unsendable
        // Judged before: the broadcast is handed over.
        case .shutDown: .noConnection
        }
    }
}
