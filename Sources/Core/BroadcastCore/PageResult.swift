/// The outcomes of a page's devices since the last report.
public struct PageResult: Equatable, Sendable {
    /// The page's number in the roster.
    public let number: Int
    /// True if all devices of the page now have their outcome.
    public internal(set) var isFinal = true
    /// Indexes of devices by outcome.
    public internal(set) var accepted: [UInt16] = []
    /// Devices whose push failed finally.
    public internal(set) var failed: [UInt16] = []
    /// The position in `reasons` for each of `failed`.
    public internal(set) var failedFor: [UInt8] = []
    /// The reasons without duplicates.
    public internal(set) var reasons: [String] = []
    /// Devices whose push may have been delivered.
    public internal(set) var unknown: [UInt16] = []
    /// Devices that were sent nothing and will not be.
    public internal(set) var unsent: [UInt16] = []
    /// The common reason of all unsent devices.
    public internal(set) var unsentReason = ""
    /// Noted devices that cannot have received a push. They may be noted and sent again by any gateway.
    public internal(set) var released: [UInt16] = []
    /// Devices whose token the provider called dead.
    public internal(set) var dead: [RefusedToken] = []
    /// Devices with a token of another app or environment. They are in `failed` as well.
    public internal(set) var quarantined: [RefusedToken] = []
    /// The page's part of the broadcast's counts.
    public internal(set) var tally = BroadcastTally()
    /// The index of the first device in the page's order that a newer broadcast has taken over.
    public internal(set) var supersededFrom: UInt16?
    /// The number of devices that are left to another gateway. It is reported with the final result.
    public internal(set) var left = 0

    /// A token that the provider refuses.
    public struct RefusedToken: Equatable, Sendable {
        /// The device's index in its page.
        public let index: UInt16
        /// The time since which the token is dead, in milliseconds since 1970; nil if the provider does not state it.
        public let since: UInt64?
        /// The token used for the push. The device may have a newer one by now.
        public let token: [UInt8]
    }
}
