import GatewayStore
import LiveActivity

/// The rare reports of devices about their Live Activities.
protocol LiveActivityStore: Sendable {
    /// - Parameters:
    ///   - name: the system's id of the Live Activity, where it is not the reference.
    ///   - token: an update token of the Live Activity, where the report has one.
    func dismiss(
        _ key: DeviceKey, reference: ActivityReference, name: String?, token: [UInt8]?, tenantID: String,
        unfollow: @Sendable (String, UniqueID) async throws(StoreError) -> Void
    ) async throws(StoreError) -> DismissalOutcome

    /// The activity that a device's app has opened and calls so, as long as it lives; nil when the device is not in it.
    func deviceInitiatedActivity(
        _ name: ExternalName, of key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> ActivityRecord?

    /// Nil if the device does not have the Live Activity.
    /// - Parameters:
    ///   - reference: the activity, by id or topic, where the report names it.
    ///   - tapID: identifies repeated reports of one tap; nil: every report is a tap.
    func tap(
        _ key: DeviceKey, systemActivityID: String?, reference: ActivityReference?, tapID: String?, tenantID: String
    ) async throws(StoreError) -> TapAttribution?
}

extension StoredReports: LiveActivityStore {}
