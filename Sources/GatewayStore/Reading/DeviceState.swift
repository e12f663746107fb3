/// What became of one device of a segment, in the contract's words.
public enum DeviceState: String, CaseIterable, Sendable {
    /// No start has come to an outcome yet.
    case registered
    /// The provider accepted the start; the device has not reported its update token.
    case pending
    /// The device has reported its update token: there is a card.
    case active
    /// The card is gone.
    case ended
    /// The start failed.
    case failed
    /// The start may have reached the device; nobody knows.
    case unknown

    /// Nil for a slot that is no device's of the segment.
    /// - Parameter isSynced: whether there is an update token, which says more than what became of the start.
    init?(fate: UInt8, isSynced: Bool) {
        guard Fate.isMember(fate) else { return nil }
        if fate >= 16 {
            self = .ended
        } else if isSynced {
            self = .active
        } else {
            switch fate {
            case Fate.startAccepted: self = .pending
            case Fate.startFailed: self = .failed
            case Fate.startUnknown: self = .unknown
            default: self = .registered
            }
        }
    }

    /// Whether a fate alone tells that a slot has this state.
    var isToldByFate: Bool { self == .ended }
}
