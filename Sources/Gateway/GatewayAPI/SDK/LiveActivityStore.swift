import GatewayStore
import LiveActivity

/// What devices tell of their Live Activities now and then.
protocol LiveActivityStore: Sendable {
    /// Nil when the device has no such Live Activity.
    /// - Parameter name: what iOS calls the Live Activity, where it is not the reference.
    func dismiss(
        _ key: DeviceKey, reference: ActivityReference, name: String?, tenantID: String
    ) async throws(StoreError) -> Dismissal?

    /// The activity that a device's app has opened and calls so, as long as it lives; nil when the device is not in it.
    func deviceInitiatedActivity(
        _ name: ExternalName, of key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> ActivityRecord?

    /// Nil when the device has no such Live Activity.
    /// - Parameter tapID: tells a report that is repeated from another tap; nil: every report is a tap.
    func tap(
        _ key: DeviceKey, systemActivityID: String, tapID: String?, tenantID: String
    ) async throws(StoreError) -> TapAttribution?
}

extension StoredReports: LiveActivityStore {}
