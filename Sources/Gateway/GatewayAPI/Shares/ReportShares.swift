import Reactor
import ShareCore
import Synchronization

/// The reports of devices that are in the store's hands, by tenant. A storm goes through here on all event loops at
/// once: two counts of a tenant and of all, and no lock.
final class ReportShares: Sendable {
    private let rule: ShareRule
    private let underWay = Atomic(0)
    private let refusals = Atomic<UInt64>(0)
    private let tenants = Locked<[String: TenantReports]>([:])

    /// Beyond so many tenants those that have no report under way are forgotten.
    private static let remembered = 1024

    init(capacity: Int) {
        rule = ShareRule(capacity: capacity)
    }

    /// Where a tenant's reports are counted. To be kept for a while: this takes a lock.
    func reports(ofTenant tenantID: String) -> TenantReports {
        tenants.withLock { tenants in
            if let known = tenants[tenantID] { return known }
            if tenants.count >= ReportShares.remembered { tenants = tenants.filter { $0.value.count > 0 } }
            let reports = TenantReports()
            tenants[tenantID] = reports
            return reports
        }
    }

    /// Takes a place for a report; false when the tenant gets none.
    func enter(_ tenant: TenantReports, weight: Int = 1) -> Bool {
        let held = tenant.underWay.add(1, ordering: .relaxed).oldValue
        let used = underWay.add(1, ordering: .relaxed).oldValue
        guard !rule.gives(1, toHolderOf: max(0, held), weight: weight, used: max(0, used)) else { return true }
        leave(tenant)
        refusals.add(1, ordering: .relaxed)
        return false
    }

    func leave(_ tenant: TenantReports) {
        underWay.subtract(1, ordering: .relaxed)
        tenant.underWay.subtract(1, ordering: .relaxed)
    }

    /// What a tenant has in the store's hands, and could have alone.
    func share(ofTenant tenantID: String, weight: Int) -> TenantShare {
        let held = tenants.withLock { $0[tenantID]?.count ?? 0 }
        return TenantShare(name: "reports", used: max(0, held), limit: rule.most(weight: weight))
    }

    /// Reports in the store's hands.
    var count: Int { max(0, underWay.load(ordering: .relaxed)) }

    var usage: SharedResourceUsage {
        SharedResourceUsage(
            name: "reports", capacity: rule.capacity, used: count, refusals: refusals.load(ordering: .relaxed))
    }
}

/// The reports of one tenant that are in the store's hands.
final class TenantReports: Sendable {
    fileprivate let underWay = Atomic(0)

    fileprivate var count: Int { underWay.load(ordering: .relaxed) }
}
