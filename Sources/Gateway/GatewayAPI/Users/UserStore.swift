import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

/// Forgets users and devices.
protocol ErasureStore: Sendable {
    func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart

    func begin(_ device: DeviceKey, tenantID: String) async throws(StoreError) -> ErasureStart
}

extension StoredErasures: ErasureStore {}

/// Tells what is known of users.
protocol UserReading: Sendable {
    /// None for a user who is not known.
    func devices(ofUser insiderID: String, tenantID: String) async throws(StoreError) -> [KnownDevice]
}

extension ActivityReader: UserReading {}

/// Goes on with an erasure that was begun.
protocol ErasureCarrier: Sendable {
    /// - Parameters:
    ///   - open: of the same user, from before: these are carried out first.
    ///   - patience: how long it waits for the ends of Live Activities.
    func erase(
        _ erasure: Erasure, after open: [Erasure], patience: TimeInterval
    ) async throws(StoreError) -> ErasureReport
}

extension BroadcastService: ErasureCarrier {}
