import GatewayStore
import LiveActivity
import TimeCore

/// Counts the SDK requests of devices, users and tenants.
protocol RequestCounting: Sendable {
    /// Counts a request; the limit that it is over, if there is one, and then it does not count.
    func count(_ device: DeviceKey, tenantID: String, _ limits: TenantLimits, now: MonotonicTime) -> RateRefusal?
}

extension RequestRates: RequestCounting {}

extension RequestCounting {
    /// Refuses a request that is one too many. Only whose identity has been checked is counted, or anybody could use up
    /// another's.
    func check(_ device: DeviceKey, _ admission: Admission, now: MonotonicTime) throws {
        guard let refusal = count(device, tenantID: admission.tenantID, admission.limits, now: now) else { return }
        throw APIError(
            .rateLimited,
            "\(refusal.limit.name): more than \(admission.limits[refusal.limit]) \(refusal.limit.summary)",
            retryAfter: max(1, Int(clamping: (refusal.wait.nanoseconds + 999_999_999) / 1_000_000_000)))
    }
}
