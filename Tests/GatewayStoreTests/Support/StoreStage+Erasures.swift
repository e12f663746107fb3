import LiveActivity

@testable import GatewayStore

extension StoreStage {
    /// Removes a device as far as the closing look.
    @discardableResult
    func removeDevice(_ device: DeviceKey) async throws -> ErasureStart {
        let start = try await store.erasures.begin(device, tenantID: tenant)
        try await goOn(with: start.erasure)
        return start
    }

    /// Goes on with an erasure up to the closing look, as a gateway does where no Live Activity has to be ended.
    func goOn(with erasure: Erasure) async throws {
        guard let places = try await store.erasures.places(erasure) else {
            return try await store.erasures.close(erasure)
        }
        var report = ErasureReport()
        for place in places { try await store.erasures.leave(place, erasure, &report) }
        try await store.erasures.forgetRest(erasure, &report)
        try await store.erasures.conclude(erasure)
    }
}
