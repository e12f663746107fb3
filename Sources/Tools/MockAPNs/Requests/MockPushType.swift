import MockKit

/// What kind of push it is: `apns-push-type` ("Sending notification requests to APNs"). Other kinds are refused.
public enum MockPushType: String, Sendable, CaseIterable {
    case liveActivity = "liveactivity"
    /// Shows, sounds or counts something.
    case alert
    /// Wakes the app, unseen.
    case background

    /// Nil for any other kind.
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
