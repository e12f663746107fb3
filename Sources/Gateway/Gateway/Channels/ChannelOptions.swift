public import TimeCore

/// How a gateway gets and keeps the broadcast channels of an app.
public struct ChannelOptions: Sendable {
    /// Where channels are made and deleted: `https://` with a host and perhaps a port.
    public var managementURL = "https://api-manage-broadcast.push.apple.com:2196"
    /// Likewise, of the sandbox. Counts where the sandbox is at a URL of its own.
    public var sandboxManagementURL = "https://api-manage-broadcast.sandbox.push.apple.com:2195"
    /// Where pushes to channels go; nil for where those to devices go.
    public var broadcastURL: String?
    /// Likewise, of the sandbox.
    public var sandboxBroadcastURL: String?
    /// From how many devices on an activity whose channel is not required has one.
    public var threshold = 100
    /// How many channels are made ahead, for each environment.
    public var pool = 2
    /// How long after its activity's end a channel is deleted.
    public var grace = TimeInterval.seconds(3600)
    /// Whether nobody else makes channels for the app, so that those that are unknown for an hour are deleted.
    public var isExclusive = false
    /// How often the channels are looked at: between half of it and the whole.
    public var period = TimeInterval.seconds(13)
    /// How often what is known is compared with the provider's list.
    public var comparison = TimeInterval.seconds(3600)
    /// How long a start waits for a channel.
    public var patience = TimeInterval.seconds(3)

    public init() {}
}
