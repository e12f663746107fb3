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
        let command =
            switch change {
            case .device(let device):
                putDeviceCommand(DeviceRecord.encode(device), token: [], type: "", key, tenantID)
            case .pushToStartToken(let token, let type):
                putDeviceCommand(
                    [], token: UserRecord.encodeToken(token, reportedAt: wallClock()), type: type ?? "", key, tenantID)
            }
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
