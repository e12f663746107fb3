import MockKit

/// The value of `apns-push-type` ("Sending notification requests to APNs"). The mock rejects other types.
public enum MockPushType: String, Sendable, CaseIterable {
    case liveActivity = "liveactivity"
    /// A push that shows an alert, plays a sound or sets the badge.
    case alert
    /// A push that wakes the app without display.
    case background

    /// Returns nil for any other type.
    init?(_ value: UnsafeBufferPointer<UInt8>) {
        if Self.liveActivityName.hasBytes(value) {
            self = .liveActivity
        } else if Self.alertName.hasBytes(value) {
            self = .alert
        } else if Self.backgroundName.hasBytes(value) {
            self = .background
        } else {
            return nil
        }
    }

    private static let liveActivityName: StaticString = "liveactivity"
    private static let alertName: StaticString = "alert"
    private static let backgroundName: StaticString = "background"
}
