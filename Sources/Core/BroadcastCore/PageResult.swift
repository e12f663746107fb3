/// What became of a page's devices: of all that have a final outcome since this was last told.
public struct PageResult: Equatable, Sendable {
    /// The page's number in the roster.
    public let number: Int
    /// Whether all devices of the page have their outcome now.
    public internal(set) var isFinal = true
    /// Indexes of devices by outcome.
    public internal(set) var accepted: [UInt16] = []
    /// The provider refused the push for good.
    public internal(set) var failed: [UInt16] = []
    /// Why: for each of `failed` the place of its reason in `reasons`.
    public internal(set) var failedFor: [UInt8] = []
    /// Each reason once.
    public internal(set) var reasons: [String] = []
    /// The push may have been delivered; nobody knows.
    public internal(set) var unknown: [UInt16] = []
    /// Nothing was sent, and nothing will be.
    public internal(set) var unsent: [UInt16] = []
    /// Why; all of them for the same reason.
    public internal(set) var unsentReason = ""
    /// Devices that were noted and cannot have been sent anything: they may be noted and sent again, here or elsewhere.
    public internal(set) var released: [UInt16] = []
    /// Devices whose token the provider called dead.
    public internal(set) var dead: [RefusedToken] = []
    /// Devices whose token is not one of this app and environment. They are in `failed` as well.
    public internal(set) var quarantined: [RefusedToken] = []
    /// The part of the broadcast's counts.
    public internal(set) var tally = BroadcastTally()
    /// The index of the first device, as the page has them in order, that a newer broadcast has taken over.
    public internal(set) var supersededFrom: UInt16?
    /// How many devices of the whole page are left to another gateway; told with the last part.
    public internal(set) var left = 0

    /// A token that the provider wants no pushes to.
    public struct RefusedToken: Equatable, Sendable {
        /// The device's index in its page.
        public let index: UInt16
        /// Since when the provider knows the token to be dead, in milliseconds since 1970; nil when it does not say.
        public let since: UInt64?
        /// The token that was pushed to: another one may have come meanwhile.
        public let token: [UInt8]
    }
}
