import TimeCore

/// How often one command may be sent again, and after what pause. Every command has its own; its deadline holds
/// besides.
struct ClusterRetry: Equatable {
    enum Step: Equatable {
        /// At once, to the node that has the slot.
        case resend
        /// At once, to this node, behind ASKING.
        case ask(ClusterAddress)
        case pause(TimeInterval)
        case giveUp
    }

    /// How often a command follows at once; after that nodes contradict each other, and time must help.
    static let promptRedirections = 4
    static let maximumRedirections = 16
    /// With the longest pause between them, more time than commands have.
    static let maximumPauses = 64

    private(set) var redirections = 0
    private(set) var pauses = 0

    /// - Parameter random: from 0 up to 1.
    mutating func refused(_ answer: ClusterAnswer, random: Double) -> Step {
        switch answer {
        case .moved, .ask:
            redirections += 1
            if redirections > ClusterRetry.maximumRedirections { return .giveUp }
            if redirections > ClusterRetry.promptRedirections { return pause(random) }
            if case .ask(let address) = answer { return .ask(address) }
            return .resend
        case .tryAgain, .notNow:
            return pause(random)
        }
    }

    private mutating func pause(_ random: Double) -> Step {
        pauses += 1
        guard pauses <= ClusterRetry.maximumPauses else { return .giveUp }
        return .pause(ClusterRetry.backoff.pause(after: pauses, jitter: random))
    }

    private static let backoff = Backoff(first: .milliseconds(10), longest: .milliseconds(200))
}
