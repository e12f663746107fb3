import LiveActivity
import RedisClient
import TimeCore

/// A report of a device, of a push-to-start token, or of both.
struct TokenReport {
    let key: DeviceKey
    /// Empty for a report without a token.
    let token: [UInt8]
    /// The activity type of the token.
    let type: String
    /// The encoded device; empty for a report of a token alone.
    let record: [UInt8]
    let tenantID: String
    let receivedAt: WallTime
    /// The limits of the tenant.
    let limits: TenantLimits
    /// True if an operator imports the report.
    var isImport = false

    var owner: TokenOwner { TokenOwner(key) }
    var index: TokenIndex { TokenIndex(token, tenantID: tenantID) }
}

// A token has one owner. A report writes the token to its device and then claims it. Each claim returns the former
// owners. If two devices report one token at the same time, the later claim finds the other device's token and marks
// it. A claim of the older report fails. The entry keeps the former owners until they are marked. If the gateway dies
// in between, the report is not answered, and its repetition continues.
extension StoredDevices {
    /// Claims a token, on the reactor, where it calls `completion` once.
    func claim(
        _ report: TokenReport, _ index: TokenIndex, level: Int = 0,
        completion: @escaping (Result<TokenClaim, StoreError>) -> Void
    ) {
        let call = index.claim(for: report.owner, reportedAt: report.receivedAt, level: level)
        redis.send(call.command) { result in
            switch call.result(result) {
            case .failure(let error): completion(.failure(error))
            case .success(let reply):
                if let claim = TokenClaim(reply, level: level) { return completion(.success(claim)) }
                self.claim(report, index, level: level + 1, completion: completion)
            }
        }
    }

    /// Completes a report after the device, or its token, was written and the token claimed.
    /// - Parameter claim: Pass nil for a report without a token.
    func conclude(_ report: TokenReport, _ reply: PutDeviceReply, _ claim: TokenClaim?) async throws(StoreError) {
        let reply = try await makingWay(report, reply)
        if reply.isErased || reply.isTooOld || reply.refusal != nil {
            // The claim may have been made although the report was not written.
            if claim != nil {
                _ = try await values(report.index.release(by: report.owner, asOf: report.receivedAt))
            }
            if let refusal = reply.refusal { throw refusal }
            if reply.isTooOld { throw .tooOldReport }
            return
        }
        try await releaseReplaced(report, reply)
        var left: [TokenHandOvers.LeftToken] = []
        switch claim {
        case nil: break
        case .lost: left = try await handOvers.leave(report, report.owner, isHandedOver: false)
        case .owned(let formers, _):
            for former in formers { left += try await handOvers.leave(report, former, isHandedOver: true) }
        }
        try await carry(left, report, areNewOwnersWritten: false)
        var user = reply.user
        if let written = user {
            if claim.map({ !$0.isUndisputed }) ?? false {
                user = try await self.user(report.key.insiderID, tenantID: report.tenantID) ?? written
            }
            try await carryChange(of: report.key, user ?? written, tenantID: report.tenantID)
        }
        try await carry(left, report, areNewOwnersWritten: true)
        if case .owned(let formers, let level) = claim {
            for former in formers { _ = try await run(report.index.settle(former, level: level)) }
        }
        guard let user else { return }
        try await topics.deviceChanged(report.key.insiderID, user, tenantID: report.tenantID)
        if let settling = reply.user?.settlingChange(of: report.key, tenantID: report.tenantID) {
            _ = try await run(settling)
        }
    }

    /// Updates the rosters of former owners. A cell that moves follows once the new owner's is written, because until
    /// then a start waits for it.
    private func carry(
        _ left: [TokenHandOvers.LeftToken], _ report: TokenReport, areNewOwnersWritten: Bool
    ) async throws(StoreError) {
        for left in left where !areNewOwnersWritten || !left.moving.isEmpty {
            let kept = areNewOwnersWritten ? left.started : left.started.union(left.moving)
            try await carryChange(of: left.key, left.owner, tenantID: report.tenantID, keepingStartCellsIn: kept)
        }
    }

    /// Gives up the tokens that a report has replaced.
    private func releaseReplaced(_ report: TokenReport, _ reply: PutDeviceReply) async throws(StoreError) {
        guard !reply.replacedTokens.isEmpty else { return }
        _ = try await values(
            reply.replacedTokens.flatMap {
                TokenIndex($0.token, tenantID: report.tenantID).release(by: report.owner)
            })
        let userKey = Keys.user(report.tenantID, report.key.insiderID)
        _ = try await values(reply.replacedTokens.map { RedisCommand("HDEL", userKey, $0.field) })
    }
}
