public import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// What a device says of itself.
public enum DeviceChange: Sendable {
    /// Creates or changes the device. A change also reaches the rosters that the device is in.
    case device(Device)
    /// A push-to-start token, for one activity type or (nil) for any. The same token again changes nothing.
    case pushToStartToken([UInt8], type: String?)
}

extension GatewayStore {
    /// See `DeviceChange.device`.
    public func putDevice(
        _ device: Device, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) {
        try await note(.device(device), of: key, tenantID: tenantID)
    }

    /// See `DeviceChange.pushToStartToken`.
    public func putPushToStartToken(
        _ token: [UInt8], _ key: DeviceKey, tenantID: String, type: String?
    ) async throws(StoreError) {
        try await note(.pushToStartToken(token, type: type), of: key, tenantID: tenantID)
    }

    private func note(_ change: DeviceChange, of key: DeviceKey, tenantID: String) async throws(StoreError) {
        let stopped = Result<Void, StoreError>.failure(.unavailable("the reactor has stopped"))
        try await redis.reactor.call(stopped: stopped) { done in
            self.note(change, of: key, tenantID: tenantID, completion: done)
        }.get()
    }

    /// Writes a change, on the reactor. `completion` is called once, from any thread, possibly before this returns.
    func note(
        _ change: DeviceChange, of key: DeviceKey, tenantID: String,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let field: [UInt8]
        let value: [UInt8]
        // The time of a token's report does not make it another one.
        let comparedFrom: Int
        switch change {
        case .device(let device):
            (field, value, comparedFrom) = (UserRecord.deviceField(key.udid), DeviceRecord.encode(device), 0)
        case .pushToStartToken(let token, let type):
            field = UserRecord.tokenField(key.udid, type ?? "")
            value = UserRecord.encodeToken(token, reportedAt: wallClock())
            comparedFrom = UserRecord.tokenTimeLength
        }
        let command = RedisCommand(
            script: Scripts.changeUser, keys: [Keys.user(tenantID, key.insiderID)],
            arguments: [field, value, comparedFrom + 1])
        redis.send(command) { result in
            switch result {
            case .failure(let error): completion(.failure(StoreError(error)))
            case .success(let reply) where reply.integer == -1: completion(.failure(.full))
            case .success(let reply):
                // A number when there is nothing more to do, which is nearly always.
                guard reply.kind == .array, let user = UserRecord(reply.copy().fields) else {
                    return completion(.success(()))
                }
                Task {
                    do throws(StoreError) {
                        try await self.carryChange(of: key, user, tenantID: tenantID)
                        completion(.success(()))
                    } catch {
                        completion(.failure(error))
                    }
                }
            }
        }
    }
}
