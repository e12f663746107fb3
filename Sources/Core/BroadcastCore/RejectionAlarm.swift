/// Decides when to stop a broadcast, because nearly all of the provider's final answers are rejections. That indicates
/// a wrong environment, app or payload. A few answers never suffice.
///
/// Rejections of the request are watched throughout the broadcast, because a credential or topic may become invalid
/// meanwhile. For refused addresses only the share of all answers counts. They are retried on a separate connection and
/// were often registered together, so their answers come in bunches. A bunch after good answers does not predict the
/// next ones.
public struct RejectionAlarm: Equatable, Sendable {
    /// The thresholds of the alarm.
    public struct Configuration: Equatable, Sendable {
        /// The minimum number of answers to stop a broadcast.
        public var fewest = 20
        /// The minimum number of answers to report a reason at the end.
        public var fewestTold = 5
        /// The number of answers that suffices in a large broadcast. The latest answers are watched up to twice this
        /// number.
        public var most = 1000
        /// The share of a smaller broadcast's devices whose answers suffice, from 0 to 1.
        public var part = 0.1
        /// The share of rejections that stops a broadcast, from 0 to 1.
        public var share = 0.95
        /// The minimum number of answers to suspect a wrong environment or app.
        public var fewestForEnvironment = 100
        /// The share of refused addresses that suggests a wrong environment or app, from 0 to 1. Single tokens are also
        /// refused in normal operation.
        public var shareForEnvironment = 0.2

        public init() {}
    }

    /// The number of final answers: acceptances, dead tokens and rejections.
    public private(set) var answers = 0
    private(set) var rejections = 0
    /// Rejections of addresses that are not dead.
    private var refusedAddresses = 0
    private var lastOfAddress: String?
    private let configuration: Configuration
    private let needed: Int
    private var lastReason: String?
    /// The latest answers without refused addresses, and those of all answers.
    private var latest = Latest()
    private var latestOfAll = Latest()
    /// True if the latest of many answers were nearly all refused addresses at some time.
    private var hadBunch = false

    /// Rejections among the latest answers.
    private struct Latest: Equatable {
        /// The number of answers before these.
        private var before = 0
        private var rejections = 0

        /// Records that answer `number`, from 1, is a rejection. Returns true if at least `needed` latest answers are
        /// nearly all rejections.
        mutating func rejected(_ number: Int, needed: Int, share: Double) -> Bool {
            // Good answers of long ago must not offset the present rejections.
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

    /// Records an answer that is no rejection.
    @inline(__always)
    mutating func answered() {
        answers += 1
    }

    /// Records a rejection that is not about the address. Returns the reason to stop the broadcast, if any.
    mutating func rejected(_ reason: String) -> String? {
        let isNow = latest.rejected(answers - refusedAddresses + 1, needed: needed, share: configuration.share)
        return refused(reason) ?? (isNow ? reason : nil)
    }

    /// Records a rejection of an address that is not dead. Returns the reason to stop the broadcast, if any.
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

    /// The reason of the last refused address if their share indicates a wrong environment or app; nil otherwise. Dead
    /// tokens are not counted.
    public var reasonOfWrongEnvironment: String? {
        let isSo =
            answers >= configuration.fewestForEnvironment
            && Double(refusedAddresses) >= configuration.shareForEnvironment * Double(answers)
        return isSo ? lastOfAddress : nil
    }

    /// True if refused addresses are probably wrong themselves, because there are neither too many in all nor in a
    /// bunch. Otherwise the environment, the app or the provider may be the cause.
    public var blamesAddresses: Bool { reasonOfNearlyAll == nil && reasonOfWrongEnvironment == nil && !hadBunch }

    private func isNearlyAll(_ rejections: Int, of answers: Int) -> Bool {
        Double(rejections) >= configuration.share * Double(answers)
    }

    /// The last reason if nearly all answers were rejections; nil otherwise. For the end of a broadcast that was too
    /// small to be stopped.
    public var reasonOfNearlyAll: String? {
        answers >= configuration.fewestTold && isNearlyAll(rejections, of: answers) ? lastReason : nil
    }
}
