extension MockRule {
    /// The kinds of requests that a script distinguishes.
    public enum Event: String, Sendable, CaseIterable {
        /// A push to a device, by its event.
        case start, update, end
        /// A push to a channel.
        case publish
        case createChannel = "create_channel"
        case readChannel = "read_channel"
        case deleteChannel = "delete_channel"
        case listChannels = "list_channels"

        init(_ event: MockPushEvent) {
            self =
                switch event {
                case .start: .start
                case .update: .update
                case .end: .end
                }
        }

        init(_ call: MockChannelCall) {
            self =
                switch call {
                case .create: .createChannel
                case .read: .readChannel
                case .delete: .deleteChannel
                case .list: .listChannels
                }
        }

        /// True for requests at the port for channel management.
        var isChannelCall: Bool {
            switch self {
            case .start, .update, .end, .publish: false
            case .createChannel, .readChannel, .deleteChannel, .listChannels: true
            }
        }
    }
}
