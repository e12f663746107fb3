/// What became of one device of a segment, in the contract's words.
public enum DeviceState: String, CaseIterable, Sendable {
    /// No start has come to an outcome yet.
    case registered
    /// The provider accepted the start; the device has not reported its update token.
    case pending
    /// The device says that its card is there, and has no update token for it yet.
    case shown
    /// The device has reported its update token: there is a card.
    case active
    /// The card is gone, or its token is dead and the device has not reported another one.
    case ended
    /// The start failed.
    case failed
    /// The start may have reached the device; nobody knows.
    case unknown
    /// A start is over that did not come to this device: nothing was sent to it.
    case unsent

    /// Nil for a slot that is no device's of the segment.
    /// - Parameters:
    ///   - token: what there is of an update token, which says more than what became of the start.
    ///   - isStartOver: whether a device without a fate was left out, rather than waits for its turn.
    init?(fate: UInt8, token: UpdateTokenState, isStartOver: Bool = false) {
        guard Fate.isMember(fate) else { return nil }
        if fate >= 16 {
            self = .ended
        } else if token == .present {
            self = .active
        } else if token == .dead {
            self = .ended
        } else if token == .shown {
            self = .shown
        } else {
            switch fate {
            case Fate.startAccepted: self = .pending
            case Fate.startFailed: self = .failed
            case Fate.startUnknown: self = .unknown
            case Fate.startUnsent: self = .unsent
            default: self = isStartOver ? .unsent : .registered
            }
        }
    }
}

/// What there is of a slot's update token.
enum UpdateTokenState: CaseIterable, Sendable {
    case none, present, dead
    /// The device has none yet, and says that its card is there.
    case shown

    /// What `Scripts.countStates` adds to a fate for it.
    var countKey: Int {
        switch self {
        case .none: 0
        case .present: 256
        case .dead: 512
        case .shown: 768
        }
    }
}
