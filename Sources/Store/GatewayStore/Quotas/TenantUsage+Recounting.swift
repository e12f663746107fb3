import RedisClient
import TimeCore

// The counts are sums of changes. A killed gateway leaves them wrong by its unreported changes.
extension TenantUsage {
    /// The users and devices of a tenant, and the counts before the correction.
    public struct Recount: Equatable, Sendable {
        /// Users found by the walk.
        public internal(set) var users = 0
        /// Devices found by the walk.
        public internal(set) var devices = 0
        /// Users counted before.
        public internal(set) var countedUsers = 0
        /// Devices counted before.
        public internal(set) var countedDevices = 0
    }

    /// The number of keys that one command scans, so that other commands can run in between.
    private static let keysAtOnce = 500
    /// The pause between scans, which limits the load of a walk on the store.
    private static let pause = Duration.milliseconds(5)

    /// The time within which no other gateway begins the same recount.
    static let recountLease = TimeInterval.seconds(600)
    /// The pause before another recount, after one during which the counts changed too much.
    static let recountPause = TimeInterval.seconds(600)

    /// Counts a tenant's users and devices node by node, and corrects the counts. The walk is assumed to see half of
    /// the changes meanwhile.
    public func recount(_ tenantID: String, _ limits: TenantLimits) async throws(StoreError) -> Recount {
        let (recount, missing, _) = try await compare(tenantID)
        _ = try await run(TenantUsage.call(tenantID, limits, missing, holder: "", nil))
        return recount
    }

    /// Corrects the counts after a gateway was lost. A count that changes meanwhile by more than half of its correction
    /// stays as it is. A later report to the store then repeats the recount.
    func recountAfterLoss(_ tenantID: String) async throws(StoreError) {
        let (_, missing, change) = try await compare(tenantID)
        let users = TenantUsage.correction(missing.users, change: change.users)
        let devices = TenantUsage.correction(missing.devices, change: change.devices)
        let correction = Made(users: users ?? 0, devices: devices ?? 0)
        _ = try await run(
            TenantUsage.call(tenantID, .standard, correction, holder: "", nil, knowsLimits: false))
        let usage = Keys.usage(tenantID)
        if users != nil, devices != nil {
            _ = try await value(RedisCommand("HDEL", usage, "lost"))
        } else {
            let again = wallClock() + TenantUsage.recountPause
            _ = try await value(RedisCommand("HSET", usage, "lost", again.milliseconds))
        }
    }

    /// Returns the correction of a count; nil if the count changed too much meanwhile.
    static func correction(_ missing: Int, change: Int) -> Int? {
        missing.magnitude >= 2 * change.magnitude ? missing : nil
    }

    /// Walks through a tenant's users. Returns the correction of the counts, and their change meanwhile.
    private func compare(
        _ tenantID: String
    ) async throws(StoreError) -> (recount: Recount, missing: Made, change: Made) {
        let before = try await counted(tenantID)
        var recount = Recount()
        for slot in await redis.masterSlots() {
            try await walk(tenantID, onNodeOf: slot, &recount)
        }
        let after = try await counted(tenantID)
        (recount.countedUsers, recount.countedDevices) = (after.users, after.devices)
        let missing = Made(
            users: recount.users - (before.users + after.users) / 2,
            devices: recount.devices - (before.devices + after.devices) / 2)
        let change = Made(users: after.users - before.users, devices: after.devices - before.devices)
        return (recount, missing, change)
    }

    private func counted(_ tenantID: String) async throws(StoreError) -> UsageTally.Answer {
        UsageTally.Answer(
            try await run(TenantUsage.call(tenantID, .standard, .nothing, holder: "", nil, knowsLimits: false)))
    }

    private func walk(
        _ tenantID: String, onNodeOf slot: UInt16, _ recount: inout Recount
    ) async throws(StoreError) {
        // The pattern ends with the brace, because longer keys hold other records of the user.
        let pattern = "\(Keys.user(tenantID, "*"))"
        var cursor = "0"
        repeat {
            let scan = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", TenantUsage.keysAtOnce)
            guard let reply = try await value(scan.onNode(ofSlot: slot).asProbe()).array, reply.count == 2,
                let next = reply[0].string, let keys = reply[1].array
            else { throw .damaged("the keys of the store") }
            for reply in try await values(keys.compactMap(\.string).map { RedisCommand("HKEYS", $0) }) {
                let kinds = (reply.array ?? []).compactMap { $0.bytes?.first }
                recount.users += kinds.isEmpty ? 0 : 1
                recount.devices += kinds.count { $0 == UInt8(ascii: "d") }
            }
            cursor = next
            try? await Task.sleep(for: TenantUsage.pause)
        } while cursor != "0"
    }
}
