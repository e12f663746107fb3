/// What a client asks of the port at which channels are managed.
public enum MockChannelCall: String, Sendable, CaseIterable {
    case create = "create_channel"
    case read = "read_channel"
    case delete = "delete_channel"
    case list = "list_channels"
}
