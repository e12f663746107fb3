import RosterCore

/// The state of one device of a segment, in the terms of the API contract.
public enum DeviceState: String, CaseIterable, Sendable {
    /// No start has an outcome yet.
    case registered
    /// The provider accepted the start; the device has not reported its update token.
    case pending
    /// The device reports that it shows its Live Activity, but has reported no update token for it yet.
    case shown
    /// The device has reported its update token, so it shows a Live Activity.
    case active
    /// The Live Activity ended, or its token is dead and the device has not reported another one.
    case ended
    /// The start failed.
    case failed
    /// The start may have reached the device; its outcome is unknown.
    case unknown
    /// The start ended before it reached this device, so nothing was sent to it.
    case unsent

    /// Returns nil for a slot without a device of the segment.
    /// - Parameters:
    ///   - token: The state of the update token, which overrides the outcome of the start.
    ///   - isStartOver: True if a device without an outcome was left out; false if it may still be started.
    ///   - isEndedByChannel: True if a push to the activity's channel ended the Live Activity, which no device's status
    ///     records.
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

/// The state of a slot's update token. `Scripts.countStates` adds the raw value to a delivery status.
enum UpdateTokenState: Int, CaseIterable, Sendable {
    case none = 0
    case present = 256
    case dead = 512
    /// The device shows its Live Activity and has no token yet.
    case shown = 768
}
