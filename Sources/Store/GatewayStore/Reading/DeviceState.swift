import RosterCore

/// What became of one device of a segment, in the contract's words.
public enum DeviceState: String, CaseIterable, Sendable {
    /// No start has come to an outcome yet.
    case registered
    /// The provider accepted the start; the device has not reported its update token.
    case pending
    /// The device says that its Live Activity is there, and has no update token for it yet.
    case shown
    /// The device has reported its update token: there is a Live Activity.
    case active
    /// The Live Activity is gone, or its token is dead and the device has not reported another one.
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
    ///   - isStartOver: whether a device without a delivery status was left out, rather than waits for its turn.
    ///   - isEndedByChannel: whether whatever has come to the activity's channel has ended the Live Activity, which is
    ///     noted of no device.
    init?(status: UInt8, token: UpdateTokenState, isStartOver: Bool = false, isEndedByChannel: Bool = false) {
        guard DeliveryStatus.isMember(status) else { return nil }
        if status >= DeliveryStatus.firstEnd || isEndedByChannel && status == DeliveryStatus.startAccepted {
            self = .ended
        } else if token == .present {
            self = .active
        } else if token == .dead {
            self = .ended
        } else if token == .shown {
            self = .shown
        } else {
            switch status {
            case DeliveryStatus.startAccepted: self = .pending
            case DeliveryStatus.startFailed: self = .failed
            case DeliveryStatus.startUnknown: self = .unknown
            case DeliveryStatus.startUnsent: self = .unsent
            default: self = isStartOver ? .unsent : .registered
            }
        }
    }
}

/// What there is of a slot's update token.
enum UpdateTokenState: CaseIterable, Sendable {
    case none, present, dead
    /// The device has none yet, and says that its Live Activity is there.
    case shown

    /// What `Scripts.countStates` adds to a delivery status for it.
    var countKey: Int {
        switch self {
        case .none: 0
        case .present: 256
        case .dead: 512
        case .shown: 768
        }
    }
}
