public import TimeCore

/// The options for the broadcast channels of an app.
public struct ChannelOptions: Sendable {
    /// The URL for creating and deleting channels: `https://` with a host and an optional port.
    public var managementURL = "https://api-manage-broadcast.push.apple.com:2196"
    /// The management URL of the sandbox. Unused unless the sandbox has its own URL.
    public var sandboxManagementURL = "https://api-manage-broadcast.sandbox.push.apple.com:2195"
    /// The URL for pushes to channels; nil for the URL of pushes to devices.
    public var broadcastURL: String?
    /// The URL for pushes to sandbox channels; nil for the URL of pushes to sandbox devices.
    public var sandboxBroadcastURL: String?
    /// The number of devices from which an activity gets a channel without requiring one.
    public var threshold = 100
    /// The number of channels created in advance for each environment.
    public var pool = 2
    /// The time between the end of an activity and the deletion of its channel.
    public var grace = TimeInterval.seconds(3600)
    /// True if no other system creates channels for the app. Channels that stay unknown for an hour are then deleted.
    public var isExclusive = false
    /// The interval between two rounds of maintenance, reduced at random by up to half.
    public var period = TimeInterval.seconds(13)
    /// The interval at which the known channels are compared with the provider's list.
    public var comparison = TimeInterval.seconds(3600)
    /// The time that a start waits for a channel.
    public var patience = TimeInterval.seconds(3)

    public init() {}
}
