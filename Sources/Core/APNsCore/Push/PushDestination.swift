/// What a push is addressed to. It decides the path and the limits of the payload.
public enum PushDestination: Hashable, Sendable, CaseIterable {
    /// A device and app, to make a new Live Activity appear (iOS 17.2 and later).
    case pushToStartToken
    /// One Live Activity on one device.
    case updateToken
    /// Every device that follows a broadcast channel (iOS 18 and later): one push for all of them.
    case broadcastChannel

    /// The most bytes of payload that the provider takes.
    public var payloadLimit: Int {
        switch self {
        case .pushToStartToken, .updateToken: 4_096
        case .broadcastChannel: 5_120
        }
    }

    /// Whether the push has a device's token in its path.
    public var isDevice: Bool {
        switch self {
        case .pushToStartToken, .updateToken: true
        case .broadcastChannel: false
        }
    }
}
