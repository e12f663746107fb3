/// The paths of the port for channel management ("Sending channel management requests to APNs").
enum ChannelPath: Equatable {
    /// `/1/apps/<bundle identifier>/channels`
    case channels(bundle: Substring)
    /// `/1/apps/<bundle identifier>/all-channels`
    case allChannels(bundle: Substring)

    /// Returns nil for other paths.
    init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "1", parts[2] == "apps", !parts[3].isEmpty else {
            return nil
        }
        switch parts[4] {
        case "channels": self = .channels(bundle: parts[3])
        case "all-channels": self = .allChannels(bundle: parts[3])
        default: return nil
        }
    }

    var bundle: Substring {
        switch self {
        case .channels(let bundle), .allChannels(let bundle): bundle
        }
    }

    /// Returns nil if the path does not allow this method.
    func call(method: String) -> MockChannelCall? {
        switch (self, method) {
        case (.channels, "POST"): .create
        case (.channels, "GET"): .read
        case (.channels, "DELETE"): .delete
        case (.allChannels, "GET"): .list
        default: nil
        }
    }
}
