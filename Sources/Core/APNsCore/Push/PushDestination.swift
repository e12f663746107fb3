/// The kind of a push's address. It decides the path and the payload limit.
public enum PushDestination: Hashable, Sendable, CaseIterable {
    /// A device and app, for starting a Live Activity (iOS 17.2 and later).
    case pushToStartToken
    /// One Live Activity on one device.
    case updateToken
    /// All devices that follow a broadcast channel, with one push (iOS 18 and later).
    case broadcastChannel

    /// The maximum payload in bytes.
    public var payloadLimit: Int {
        switch self {
        case .pushToStartToken, .updateToken: 4_096
        case .broadcastChannel: 5_120
        }
    }

    /// True if the push has a device's token in its path.
    public var isDevice: Bool {
        switch self {
        case .pushToStartToken, .updateToken: true
        case .broadcastChannel: false
        }
    }
}
