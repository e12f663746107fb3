import Delivery
import LiveActivity
import RedisClient
import TimeCore

// A user has as many devices as may be, or tokens: nobody is refused for it, the least needed makes way. So whoever can name a
// user cannot keep that user's next phone out.
extension StoredDevices {
    /// How often a report is tried while others of the same user take the room that was made.
    private static let attempts = 8

    /// Why nothing was written; nil when something was, or when something must make way first.
    func refusal(_ reply: PutDeviceReply, _ permit: TenantUsage.Permit) -> StoreError? {
        if reply.mayNotMakeDevice { return refusal(permit.deviceRefusal ?? .devices, permit.wait) }
        return reply.mayNotMakeUser ? refusal(permit.userRefusal ?? .users, nil) : nil
    }

    private func refusal(_ limit: TenantLimits.Limit, _ wait: TimeInterval?) -> StoreError {
        refusals.count(limit)
        return .quotaReached(limit, wait: limit == .newDevices ? wait ?? .seconds(1) : nil)
    }

    /// Has what must make way for a report removed, and the report written.
    func makingWay(_ report: TokenReport, _ first: PutDeviceReply) async throws(StoreError) -> PutDeviceReply {
        var reply = first
        for attempt in 0..<StoredDevices.attempts {
            switch reply.obstacle {
            case nil: return reply
            case .devices: try await eviction.evict(for: report.key, tenantID: report.tenantID, attempt: attempt)
            case .tokens: try await dropLeastNeededToken(of: report.key.insiderID, tenantID: report.tenantID)
            }
            reply = read(try await value(putDeviceCommand(report)), report)
        }
        if reply.obstacle == nil { return reply }
        throw .unavailable("too many reports of one user at a time")
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
