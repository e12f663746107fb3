public import Delivery

/// Which app a tenant's activities belong to, and how each of its kinds of route is reached.
public struct AppDirectory: Sendable {
    /// An app's broadcasters, by the kinds of route that they serve: one at least.
    public typealias Broadcasters = [RouteKind: Broadcaster]

    private let standard: Broadcasters
    private let byTenant: [String: Broadcasters]
    /// The providers of all apps, one for each engine.
    let providers: [any PushProvider]

    /// - Parameters:
    ///   - standard: the default app's.
    ///   - byTenant: further apps', by the ids of their tenants.
    public init(standard: Broadcasters, byTenant: [String: Broadcasters] = [:]) {
        self.standard = standard
        self.byTenant = byTenant
        let all = ([standard] + byTenant.values).flatMap { $0.sorted { $0.key.rawValue < $1.key.rawValue } }
        providers = all.reduce(into: []) { list, entry in
            let provider = entry.value.provider
            if !list.contains(where: { $0.engine == provider.engine }) { list.append(provider) }
        }
    }

    /// Nil when the tenant's app has no way to reach such devices.
    func broadcaster(of tenantID: String, over kind: RouteKind) -> Broadcaster? {
        (byTenant[tenantID] ?? standard)[kind]
    }

    /// The kinds of route over which a tenant's app reaches devices.
    func routeKinds(of tenantID: String) -> Set<RouteKind> { Set((byTenant[tenantID] ?? standard).keys) }

    /// The most bytes of content that all of these kinds of route can carry for a tenant; of all kinds, when none is named.
    func contentLimit(of tenantID: String, over kinds: [RouteKind]) -> Int {
        let own = byTenant[tenantID] ?? standard
        let meant = kinds.isEmpty ? Array(own.keys) : kinds
        return meant.compactMap { own[$0]?.provider.contentLimit }.min() ?? .max
    }

    /// The reasons of rejections that the providers of all apps document.
    var reasons: [String] { Set(providers.flatMap(\.reasons)).sorted() }

    /// Those of them that concern the address itself.
    var addressReasons: Set<String> { Set(providers.flatMap(\.addressReasons)) }
}
