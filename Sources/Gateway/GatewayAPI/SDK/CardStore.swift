import GatewayStore
import LiveActivity

/// What devices tell of their cards now and then.
protocol CardStore: Sendable {
    /// Nil when the device has no such card.
    func dismiss(
        _ key: DeviceKey, reference: ActivityReference, tenantID: String
    ) async throws(StoreError) -> UniqueID?

    /// Nil when the device has no such card.
    func tap(_ key: DeviceKey, systemActivityID: String, tenantID: String) async throws(StoreError) -> TapAttribution?
}

extension StoredReports: CardStore {}
