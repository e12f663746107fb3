import LiveActivity
import TimeCore

@testable import GatewayStore

extension StoredDevices {
    /// See `DeviceChange.pushToStartToken`.
    /// - Parameter receivedAt: The time of the report; nil for now. A report never replaces a later one.
    func putPushToStartToken(
        _ token: [UInt8], _ key: DeviceKey, tenantID: String, type: String?, receivedAt: WallTime? = nil
    ) async throws(StoreError) {
        try await note(
            .pushToStartToken(token, type: type), of: key, tenantID: tenantID, .standard, receivedAt: receivedAt)
    }

    /// See `DeviceChange.registrationToken`.
    /// - Parameter receivedAt: The time of the report; nil for now. A report never replaces a later one.
    func putRegistrationToken(
        _ token: [UInt8], _ key: DeviceKey, tenantID: String, receivedAt: WallTime? = nil
    ) async throws(StoreError) {
        try await note(.registrationToken(token), of: key, tenantID: tenantID, .standard, receivedAt: receivedAt)
    }
}
