import HummingbirdCore
import NIOHTTP1

/// The routes that stand a storm: what every device reports at about the same time. They are answered by
/// `ReportHandler`, all others by the router.
enum ReportRoute: Int, CaseIterable, Sendable {
    case sync, device, pushToStartToken

    var method: HTTPMethod { self == .sync ? .POST : .PUT }

    var path: String {
        switch self {
        case .sync: "/api/v1/sdk/sync"
        case .device: "/api/v1/sdk/device"
        case .pushToStartToken: "/api/v1/sdk/push-to-start-token"
        }
    }

    /// Nil when the request is another route's. Paths are told apart as the router does it: exactly, but for a query
    /// and for slashes without a name between them.
    init?(_ method: HTTPMethod, _ uri: String) {
        switch (method, uri) {
        case (.POST, "/api/v1/sdk/sync"): self = .sync
        case (.PUT, "/api/v1/sdk/device"): self = .device
        case (.PUT, "/api/v1/sdk/push-to-start-token"): self = .pushToStartToken
        case (.POST, _), (.PUT, _): self.init(method, components: URI(uri).path.split(separator: "/"))
        default: return nil
        }
    }

    private init?(_ method: HTTPMethod, components: [Substring]) {
        guard components.count == 4, components.dropLast().elementsEqual(["api", "v1", "sdk"]) else { return nil }
        switch (method, components[3]) {
        case (.POST, "sync"): self = .sync
        case (.PUT, "device"): self = .device
        case (.PUT, "push-to-start-token"): self = .pushToStartToken
        default: return nil
        }
    }
}
