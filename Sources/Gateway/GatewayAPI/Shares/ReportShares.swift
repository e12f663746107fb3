import Reactor
import ShareCore
import Synchronization

/// The device reports that the store currently handles, by tenant. Atomic counters replace a lock.
final class ReportShares: Sendable {
    private let rule: ShareRule
    private let underWay = Atomic(0)
    private let refusals = Atomic<UInt64>(0)
    private let tenants = Locked<[String: TenantReports]>([:])

    /// The number of tenants beyond which idle ones are removed.
    private static let remembered = 1024

    init(capacity: Int) {
        rule = ShareRule(capacity: capacity)
    }

    /// Returns the counts of a tenant. Keep the result for a while, because this takes a lock.
    func reports(ofTenant tenantID: String) -> TenantReports {
        tenants.withLock { tenants in
            if let known = tenants[tenantID] { return known }
            if tenants.count >= ReportShares.remembered { tenants = tenants.filter { $0.value.count > 0 } }
            let reports = TenantReports()
            tenants[tenantID] = reports
            return reports
        }
    }

    /// Takes a place for a report; false if the tenant gets none.
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

    /// Returns a tenant's use, and its limit without other tenants.
    func share(ofTenant tenantID: String, weight: Int) -> TenantShare {
        let held = tenants.withLock { $0[tenantID]?.count ?? 0 }
        return TenantShare(name: "reports", used: max(0, held), limit: rule.most(weight: weight))
    }

    /// The number of reports that the store currently handles.
    var count: Int { max(0, underWay.load(ordering: .relaxed)) }

    var usage: SharedResourceUsage {
        SharedResourceUsage(
            name: "reports", capacity: rule.capacity, used: count, refusals: refusals.load(ordering: .relaxed))
    }
}

/// The number of one tenant's reports that the store currently handles.
final class TenantReports: Sendable {
    fileprivate let underWay = Atomic(0)

    fileprivate var count: Int { underWay.load(ordering: .relaxed) }
}
