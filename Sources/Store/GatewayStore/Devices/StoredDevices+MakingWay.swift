import Delivery
import LiveActivity
import Reactor
import RedisClient
import TimeCore

// A report beyond the limit of a user's devices or tokens is not refused. It replaces the least needed one. Otherwise,
// any client that can name a user could lock out that user's next phone.
extension StoredDevices {
    /// The most attempts of a report while concurrent reports of the same user take the room.
    private static let attempts = 40

    /// Counts a refusal due to a limit, and returns its error.
    func refusal(_ limit: TenantLimits.Limit, _ wait: TimeInterval?) -> StoreError {
        refusals.count(limit)
        return QuotaRefusal(limit: limit, wait: wait).error
    }

    /// Removes the records that block a report, and writes the report.
    func makingWay(_ report: TokenReport, _ first: PutDeviceReply) async throws(StoreError) -> PutDeviceReply {
        var reply = first
        for attempt in 0..<StoredDevices.attempts {
            switch reply.obstacle {
            case nil: return reply
            case .devices: try await eviction.evict(for: report.key, tenantID: report.tenantID, attempt: attempt)
            case .tokens: try await dropLeastNeededToken(of: report.key.insiderID, tenantID: report.tenantID)
            }
            reply = try await put(report)
        }
        if reply.obstacle == nil { return reply }
        throw .unavailable("too many reports of one user at a time")
    }

    private func put(_ report: TokenReport) async throws(StoreError) -> PutDeviceReply {
        if report.isImport { return try await putImported(report) }
        let stopped = Result<PutDeviceReply, StoreError>.failure(.unavailable("the reactor has stopped"))
        return try await redis.reactor.call(stopped: stopped) { done in
            self.put(report) { done($0) }
        }.get()
    }

    private func dropLeastNeededToken(of insiderID: String, tenantID: String) async throws(StoreError) {
        let fields = try await value(RedisCommand("HGETALL", Keys.user(tenantID, insiderID))).fields
        guard let least = UserOccupancy(fields).leastNeededToken else { return }
        let dead = DeadStartToken(
            owner: IdentityRun.Entry(insiderID: insiderID, device: least.device), token: least.token,
            asOf: least.reportedAt)
        try await drop([dead], tenantID: tenantID, types: [least.type])
    }
}
