import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

/// Begins erasures of users and devices.
protocol ErasureStore: Sendable {
    func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart

    func begin(_ device: DeviceKey, tenantID: String) async throws(StoreError) -> ErasureStart
}

extension StoredErasures: ErasureStore {}

/// Reads the devices of users.
protocol UserReading: Sendable {
    /// Returns no devices for an unknown user.
    func devices(ofUser insiderID: String, tenantID: String) async throws(StoreError) -> [KnownDevice]
}

extension ActivityReader: UserReading {}

/// Continues an erasure that was begun.
protocol ErasureCarrier: Sendable {
    /// - Parameters:
    ///   - open: Earlier erasures of the same user, which run first.
    ///   - patience: The time to wait for the ends of Live Activities.
    func erase(
        _ erasure: Erasure, after open: [Erasure], patience: TimeInterval
    ) async throws(StoreError) -> ErasureReport
}

extension BroadcastService: ErasureCarrier {}
