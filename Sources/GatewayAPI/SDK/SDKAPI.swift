import Broadcasts
import GatewayStore
import Hummingbird
import LiveActivity
import TimeCore

/// The endpoints that devices call.
struct SDKAPI: Sendable {
    let store: GatewayStore
    let apps: AppDirectory

    typealias Handler = @Sendable (SDKAPI, DeviceRequest) async throws -> Reply

    static let routes: [(method: HTTPRequest.Method, path: RouterPath, handler: Handler)] = [
        (.put, "device", { try await $0.putDevice($1) }),
        (.put, "push-to-start-token", { try await $0.putPushToStartToken($1) }),
        (.post, "sync", { try await $0.sync($1) }),
        (.post, "dismissed", { try await $0.dismissed($1) }),
    ]
}

/// A device's request that has been let in, for the device that its identity was checked for.
struct DeviceRequest: Sendable {
    let tenantID: String
    let key: DeviceKey
    let body: JSONValue
}

extension JSONValue {
    /// The device that a report is for.
    func deviceKey() throws -> DeviceKey {
        DeviceKey(insiderID: try name("insider_id"), udid: try name("udid"))
    }

    private func name(_ field: String) throws -> String {
        guard let name = try optionalString(field), (1...DeviceKey.maximumLength).contains(name.utf8.count),
            !name.utf8.contains(0)
        else { throw APIError.invalid(field, "a string of 1 to \(DeviceKey.maximumLength) bytes") }
        return name
    }
}
