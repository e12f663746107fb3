extension MockRule {
    /// What a request is, in the words of a script.
    public enum Event: String, Sendable, CaseIterable {
        /// A push to a device, by what it does.
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

        /// Whether it comes at the port where channels are managed.
        var isChannelCall: Bool {
            switch self {
            case .start, .update, .end, .publish: false
            case .createChannel, .readChannel, .deleteChannel, .listChannels: true
            }
        }
    }
}
