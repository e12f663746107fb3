public import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// A report of a device.
public enum DeviceChange: Sendable {
    /// Creates or changes the device. A change also reaches the rosters that the device is in.
    case device(Device)
    /// A push-to-start token, for one activity type or (nil) for any. A repeated token changes nothing.
    case pushToStartToken([UInt8], type: String?)
    /// An Android device's registration token of FCM: one for each device, 1 to 1,024 bytes of printable ASCII. A
    /// repeated token changes nothing. A new one replaces the former one for all messages to the device.
    case registrationToken([UInt8])
}

extension StoredDevices {
    /// See `DeviceChange.device`.
    /// - Parameter receivedAt: The time of the report; nil for now. A report never replaces a later one.
    public func putDevice(
        _ device: Device, _ key: DeviceKey, tenantID: String, limits: TenantLimits = .standard,
        receivedAt: WallTime? = nil
    ) async throws(StoreError) {
        try await note(.device(device), of: key, tenantID: tenantID, limits, receivedAt: receivedAt)
    }

    func note(
        _ change: DeviceChange, of key: DeviceKey, tenantID: String, _ limits: TenantLimits, receivedAt: WallTime?
    ) async throws(StoreError) {
        let stopped = Result<Void, StoreError>.failure(.unavailable("the reactor has stopped"))
        let receivedAt = receivedAt ?? wallClock()
        try await redis.reactor.call(stopped: stopped) { done in
            self.note(change, of: key, tenantID: tenantID, limits, receivedAt: receivedAt, completion: done)
        }.get()
    }

    /// Writes a change, on the reactor, unless a later one is stored. Calls `completion` once, on any thread, possibly
    /// before it returns.
    func note(
        _ change: DeviceChange, of key: DeviceKey, tenantID: String, _ limits: TenantLimits, receivedAt: WallTime,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        switch change {
        case .device(let device):
            let report = TokenReport(
                key: key, token: [], type: "", record: DeviceRecord.encode(device), tenantID: tenantID,
                receivedAt: receivedAt, limits: limits)
            put(report) { self.conclude(report, $0, nil, completion: completion) }
        case .pushToStartToken(let token, let type):
            let report = TokenReport(
                key: key, token: token, type: type ?? "", record: [], tenantID: tenantID, receivedAt: receivedAt,
                limits: limits)
            note(report, completion: completion)
        case .registrationToken(let token):
            let report = TokenReport(
                key: key, token: token, type: UserRecord.registrationType, record: [], tenantID: tenantID,
                receivedAt: receivedAt, limits: limits)
            note(report, completion: completion)
        }
    }

    /// Writes a token and claims it.
    private func note(
        _ report: TokenReport, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let index = report.index
        // The claim must run after the write: see `claim`.
        guard redis.keepsOrderAcrossKeys else {
            return put(report) { written in
                if case .failure(let error) = written { return completion(.failure(error)) }
                self.claim(report, index) { self.conclude(report, written, $0, completion: completion) }
            }
        }
        var written: Result<PutDeviceReply, StoreError>?
        put(report) { result in
            // The claim ran first after all, because the server did not know the script of the write.
            guard written != nil else { return written = result }
            self.claim(report, index) { self.conclude(report, result, $0, completion: completion) }
        }
        claim(report, index) { claim in
            guard let result = written else { return written = .failure(.unavailable("")) }
            self.conclude(report, result, claim, completion: completion)
        }
    }

    /// Writes a report, on the reactor, and calls `completion` once there. Waits for a permit if it must create a
    /// device or a user. Without a permit, the reply has the refusal.
    func put(_ report: TokenReport, completion: @escaping (Result<PutDeviceReply, StoreError>) -> Void) {
        put(report, usage.take(report.tenantID, report.limits), completion: completion)
    }

    private func put(
        _ report: TokenReport, _ permit: MakingPermit,
        completion: @escaping (Result<PutDeviceReply, StoreError>) -> Void
    ) {
        let call = putDeviceCall(report, permit)
        redis.send(call.command) { result in
            switch call.result(result) {
            case .failure(let error):
                let mayBeMade = if case .failure(let error) = result { error.mayHaveBeenExecuted } else { true }
                let made = permit.isHeld && mayBeMade ? Made.unknown : .nothing
                self.usage.settle(permit, made, tenantID: report.tenantID, report.limits)
                completion(.failure(error))
            case .success(let written):
                var reply = PutDeviceReply(written)
                self.usage.settle(permit, reply.made, tenantID: report.tenantID, report.limits)
                guard reply.mayNotMakeDevice || reply.mayNotMakeUser else { return completion(.success(reply)) }
                self.usage.wait(report.tenantID, report.limits, needsUser: reply.mayNotMakeUser) { answer in
                    switch answer {
                    case .success(let permit): self.put(report, permit, completion: completion)
                    case .failure(.quotaReached(let limit, let wait)):
                        reply.refusal = self.refusal(limit, wait)
                        completion(.success(reply))
                    case .failure(let error): completion(.failure(error))
                    }
                }
            }
        }
    }

    /// - Parameter claim: Pass nil for a report without a token.
    private func conclude(
        _ report: TokenReport, _ reply: Result<PutDeviceReply, StoreError>, _ claim: Result<TokenClaim, StoreError>?,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            let (reply, claim) = (try reply.get(), try claim?.get())
            if claim == nil, let refusal = reply.refusal { return completion(.failure(refusal)) }
            if reply.isDone, claim?.isUndisputed ?? true { return completion(.success(())) }
            Task {
                do throws(StoreError) {
                    try await self.conclude(report, reply, claim)
                    completion(.success(()))
                } catch {
                    completion(.failure(error))
                }
            }
        } catch {
            completion(.failure(error))
        }
    }
}
