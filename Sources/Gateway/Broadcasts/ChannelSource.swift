public import LiveActivity

/// The source of broadcast channels for an app's activities.
public protocol ChannelSource: Sendable {
    /// The minimum number of devices for a channel that the activity does not require.
    var threshold: Int { get }

    /// Returns a channel for an activity's devices of an environment: an unused one, or a new one within 3 s. Repeated
    /// calls return the same one. Nil if none is available; the start then uses only tokens.
    /// - Parameter storesNewest: True if the provider stores the newest message for phones that are off.
    func channel(
        for activity: UniqueID, environment: Device.Environment, storesNewest: Bool
    ) async -> String?
}
