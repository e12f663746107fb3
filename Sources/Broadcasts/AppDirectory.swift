import PushClient

/// Which app a tenant's activities belong to: each app has a credential, and so a broadcaster, of its own.
public struct AppDirectory: Sendable {
    private let standard: Broadcaster
    private let byTenant: [String: Broadcaster]

    /// - Parameters:
    ///   - standard: the default app's.
    ///   - byTenant: further apps', by the ids of their tenants.
    public init(standard: Broadcaster, byTenant: [String: Broadcaster] = [:]) {
        self.standard = standard
        self.byTenant = byTenant
    }

    func broadcaster(of tenantID: String) -> Broadcaster { byTenant[tenantID] ?? standard }

    /// Has a push client find out whether it can push, by a push that is nobody's.
    func probe(_ client: PushClient) {
        let all = [standard] + byTenant.values
        all.first { $0.client === client }?.probe()
    }

    /// The reasons of rejections that the providers of all apps document.
    var reasons: [String] { Set(clients.flatMap(\.reasons)).sorted() }

    /// The push clients of all apps, each once.
    var clients: [PushClient] {
        byTenant.values.reduce(into: [standard.client]) { list, broadcaster in
            if !list.contains(where: { $0 === broadcaster.client }) { list.append(broadcaster.client) }
        }
    }
}
