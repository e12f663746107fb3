public import Delivery
import LiveActivity

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

    /// The first of these kinds of route, or of all when none is named, that cannot carry so much for a tenant: how many bytes
    /// it is by the provider's own count, and the most that it takes. Nil when each can.
    func excess(
        of payload: Payload, _ event: PushEvent, in activity: Activity, over kinds: [RouteKind]
    ) -> (bytes: Int, limit: Int, cohort: Cohort)? {
        let own = byTenant[activity.tenantID] ?? standard
        for kind in kinds.isEmpty ? own.keys.sorted(by: { $0.rawValue < $1.rawValue }) : kinds {
            guard let provider = own[kind]?.provider else { continue }
            let bytes = provider.contentSize(of: payload, event, activity: activity.id)
            if bytes > provider.contentLimit { return (bytes, provider.contentLimit, Cohort(kind)) }
        }
        return nil
    }

    /// The reasons of rejections that the providers of all apps document.
    var reasons: [String] { Set(providers.flatMap(\.reasons)).sorted() }

    /// Those of them that concern the address itself.
    var addressReasons: Set<String> { Set(providers.flatMap(\.addressReasons)) }
}
