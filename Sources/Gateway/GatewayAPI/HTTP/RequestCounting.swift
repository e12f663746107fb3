import GatewayStore
import LiveActivity
import TimeCore

/// Counts the SDK requests of devices, users and tenants.
protocol RequestCounting: Sendable {
    /// Counts a request, or returns the limit that it exceeds; then it does not count.
    func count(_ device: DeviceKey, tenantID: String, _ limits: TenantLimits, now: MonotonicTime) -> RateRefusal?
}

extension RequestRates: RequestCounting {}

extension RequestCounting {
    /// Throws if the request exceeds a limit. Call it after the identity check, because otherwise anyone could use up
    /// another device's rate.
    func check(_ device: DeviceKey, _ admission: Admission, now: MonotonicTime) throws {
        guard let refusal = count(device, tenantID: admission.tenantID, admission.limits, now: now) else { return }
        throw APIError(
            .rateLimited,
            "\(refusal.limit.name): more than \(admission.limits[refusal.limit]) \(refusal.limit.summary)",
            retryAfter: max(1, Int(clamping: (refusal.wait.nanoseconds + 999_999_999) / 1_000_000_000)))
    }
}
