/// Tells when a broadcast is better stopped: when nearly all of the provider's final answers are rejections, which
/// means a wrong environment, app or payload. One answer, and a few, never do.
///
/// What is rejected for the request's sake is looked at as long as the broadcast lasts, for a credential or topic may
/// go wrong in its middle. Of refused addresses the share of all answers counts alone, since this gateway has worked on
/// the broadcast: they are tried once more, on a connection of their own, and so their answers come in bunches, and
/// they stand beside each other where they were registered together. A bunch behind good answers says nothing of those
/// who wait.
public struct RejectionAlarm: Equatable, Sendable {
    /// How many answers are looked at, and what share of them is nearly all.
    public struct Configuration: Equatable, Sendable {
        /// No fewer answers stop a broadcast.
        public var fewest = 20
        /// No fewer are worth telling of.
        public var fewestTold = 5
        /// Of a large broadcast so many answers are enough. Of the latest ones up to twice as many are looked at.
        public var most = 1000
        /// The share of them that may be looked at in a smaller one.
        public var part = 0.1
        /// So many of the answers that are looked at must be rejections, from 0 to 1.
        public var share = 0.95
        /// Of no fewer answers is it said that addresses are of another environment or app.
        public var fewestForEnvironment = 100
        /// Refused addresses must be such a share of them, from 0 to 1. Tokens of one phone here and there are refused
        /// as well.
        public var shareForEnvironment = 0.2

        public init() {}
    }

    /// Final answers: acceptances, dead tokens and rejections. Pushes without one say nothing.
    public private(set) var answers = 0
    private(set) var rejections = 0
    /// Rejections that are about the address, which is not dead.
    private var refusedAddresses = 0
    private var lastOfAddress: String?
    private let configuration: Configuration
    private let needed: Int
    private var lastReason: String?
    /// The latest answers without refused addresses, and all of them.
    private var latest = Latest()
    private var latestOfAll = Latest()
    /// Whether nearly all of many answers, one behind the other, were refused addresses at some time.
    private var hadBunch = false

    /// Rejections among the latest answers.
    private struct Latest: Equatable {
        /// How many answers came before these.
        private var before = 0
        private var rejections = 0

        /// The answer with this number, from 1 on, is a rejection. Whether nearly all of the latest ones are, which are
        /// not fewer than are `needed`.
        mutating func rejected(_ number: Int, needed: Int, share: Double) -> Bool {
            // What was good long ago does not make up for what is rejected now.
            if number > before + 2 * needed { (before, rejections) = (number - 1, 0) }
            rejections += 1
            let count = number - before
            return count >= needed && Double(rejections) >= share * Double(count)
        }
    }

    init(devices: Int, _ configuration: Configuration) {
        self.configuration = configuration
        let part = devices == .max ? configuration.most : Int(Double(devices) * configuration.part)
        needed = min(configuration.most, max(configuration.fewest, part))
    }

    /// An answer came that is no rejection.
    @inline(__always)
    mutating func answered() {
        answers += 1
    }

    /// A rejection came that is not about the address. The reason to stop for, if there is one now.
    mutating func rejected(_ reason: String) -> String? {
        let isNow = latest.rejected(answers - refusedAddresses + 1, needed: needed, share: configuration.share)
        return refused(reason) ?? (isNow ? reason : nil)
    }

    /// A rejection came that says that the address is wrong, not that it is dead. The reason to stop for, if there is
    /// one now.
    mutating func addressRefused(_ reason: String) -> String? {
        if latestOfAll.rejected(answers + 1, needed: configuration.most, share: configuration.share) { hadBunch = true }
        refusedAddresses += 1
        lastOfAddress = reason
        return refused(reason)
    }

    private mutating func refused(_ reason: String) -> String? {
        answers += 1
        rejections += 1
        lastReason = reason
        return answers >= needed && isNearlyAll(rejections, of: answers) ? reason : nil
    }

    /// The reason by which so many addresses were refused that they are rather of another environment or app than wrong
    /// each by itself; nil when it is not so. Dead tokens say nothing of it.
    public var reasonOfWrongEnvironment: String? {
        let isSo =
            answers >= configuration.fewestForEnvironment
            && Double(refusedAddresses) >= configuration.shareForEnvironment * Double(answers)
        return isSo ? lastOfAddress : nil
    }

    /// Whether refused addresses are wrong each by itself: neither of so many, of all or one behind the other, that it
    /// may rather be where they were sent to, or the provider.
    public var blamesAddresses: Bool { reasonOfNearlyAll == nil && reasonOfWrongEnvironment == nil && !hadBunch }

    private func isNearlyAll(_ rejections: Int, of answers: Int) -> Bool {
        Double(rejections) >= configuration.share * Double(answers)
    }

    /// Whether nearly all answers were rejections, however few they were; the reason of the last one. For the end of a
    /// broadcast that was too small to be stopped.
    public var reasonOfNearlyAll: String? {
        answers >= configuration.fewestTold && isNearlyAll(rejections, of: answers) ? lastReason : nil
    }
}
