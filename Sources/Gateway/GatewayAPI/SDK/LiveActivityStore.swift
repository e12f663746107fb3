import GatewayStore
import LiveActivity

/// What devices tell of their Live Activities now and then.
protocol LiveActivityStore: Sendable {
    /// Nil when the device has no such Live Activity.
    func dismiss(
        _ key: DeviceKey, reference: ActivityReference, tenantID: String
    ) async throws(StoreError) -> UniqueID?

    /// Nil when the device has no such Live Activity.
    func tap(_ key: DeviceKey, systemActivityID: String, tenantID: String) async throws(StoreError) -> TapAttribution?
}

extension StoredReports: LiveActivityStore {}
