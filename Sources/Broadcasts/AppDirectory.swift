public import GatewayStore
import LiveActivity
public import TimeCore

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

    /// See `Broadcaster.carryOut`.
    public func carryOut(_ order: BroadcastOrder, waiting timeout: TimeInterval) async -> BroadcastReport {
        await (byTenant[order.activity.tenantID] ?? standard).carryOut(order, waiting: timeout)
    }

    /// How many broadcasts are under way.
    public var underWay: Int {
        distinct.reduce(standard.underWay) { $0 + $1.underWay }
    }

    /// See `Broadcaster.stop`.
    public func stop() async {
        await standard.stop()
        for broadcaster in distinct { await broadcaster.stop() }
    }

    private var distinct: [Broadcaster] {
        byTenant.values.reduce(into: []) { list, broadcaster in
            if broadcaster !== standard, !list.contains(where: { $0 === broadcaster }) { list.append(broadcaster) }
        }
    }
}
