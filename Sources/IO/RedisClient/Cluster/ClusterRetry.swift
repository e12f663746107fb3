import TimeCore

/// Limits the retries of one command, and their pauses. Each command has its own; its deadline also applies.
struct ClusterRetry: Equatable {
    enum Step: Equatable {
        /// Immediately, to the node with the slot.
        case resend
        /// Immediately, to this node, after ASKING.
        case ask(ClusterAddress)
        case pause(TimeInterval)
        case giveUp
    }

    /// The number of immediate redirections. After these the nodes contradict each other, and retries pause.
    static let promptRedirections = 4
    static let maximumRedirections = 16
    /// With the longest pause, this exceeds the default deadline of a command.
    static let maximumPauses = 64

    private(set) var redirections = 0
    private(set) var pauses = 0

    /// - Parameter random: From 0 to below 1.
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
