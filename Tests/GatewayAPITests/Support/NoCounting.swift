import GatewayStore
import LiveActivity
import TimeCore

@testable import GatewayAPI

/// Lets every request in.
struct NoCounting: RequestCounting {
    func count(_ device: DeviceKey, tenantID: String, _ limits: TenantLimits, now: MonotonicTime) -> RateRefusal? {
        nil
    }
}
