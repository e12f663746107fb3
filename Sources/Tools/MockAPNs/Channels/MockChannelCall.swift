/// The calls of the port for channel management.
public enum MockChannelCall: String, Sendable, CaseIterable {
    case create = "create_channel"
    case read = "read_channel"
    case delete = "delete_channel"
    case list = "list_channels"
}
