import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// The first step of all erasures: removes a user or a device from the user's hash. The caller or the due queue
/// completes the erasure.
final class ErasureQueue: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let carrier = Locked<(@Sendable (Erasure) async -> Void)?>(nil)

    /// The time for which the set-aside data is kept if no gateway can continue. It is as long as that of an activity's
    /// data.
    static let kept = TimeInterval.seconds(9 * 86_400)
    /// The time for which erasures are remembered. It is longer than a report may take (`GatewayStore.reportLife`).
    static let remembered = TimeInterval.seconds(15)

    /// The time of an announcement. It is longer than the step may take, and includes `remembered`.
    static let announced = TimeInterval.seconds(600)

    init(_ context: StoreContext, usage: TenantUsage) {
        self.context = context
        self.usage = usage
    }

    /// Begins to erase a user. Later reports create a new user.
    func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await begin(
            Erasure(tenantID: tenantID, insiderID: insiderID, isOfUser: true, erasedAt: wallClock()), udid: nil)
    }

    /// Begins to erase a device.
    /// - Parameter number: The number of the device to evict for another one; nil for any device with this udid. With a
    ///   number, the user stays even without a device. If the device has come back under another number, nothing
    ///   happens.
    func begin(
        _ device: DeviceKey, number: UInt32? = nil, tenantID: String
    ) async throws(StoreError) -> ErasureStart {
        try await begin(
            Erasure(tenantID: tenantID, insiderID: device.insiderID, isOfUser: false, erasedAt: wallClock()),
            udid: device.udid, number: number)
    }

    private func begin(
        _ erasure: Erasure, udid: String?, number: UInt32? = nil
    ) async throws(StoreError) -> ErasureStart {
        let (tenantID, insiderID) = (erasure.tenantID, erasure.insiderID)
        // Written before the step, perhaps on another node. An item without set-aside data is dropped.
        let goesOnAt = erasure.erasedAt + StoredDueItems.dueLease
        let item = RedisCommand(
            "ZADD", Keys.due(erasure.shard), goesOnAt.milliseconds, erasure.description)
        _ = try await values([
            item.replicated(within: StoreContext.replication),
            RedisCommand(
                "SET", Keys.erasing(tenantID), "", "PX", Int(ErasureQueue.announced.millisecondsRoundedUp)),
            usage.announcement(tenantID),
        ])
        noteDue(erasure.shard, at: goesOnAt.milliseconds)
        // Reports the counts of the removal, or withdraws the announcement.
        defer { usage.checkForLostGateways(tenantID) }
        let call = Scripts.setAside(
            user: Keys.user(tenantID, insiderID), aside: Keys.setAside(erasure),
            erased: Keys.erased(tenantID, insiderID), follows: Keys.follows(tenantID, insiderID),
            waiting: Keys.waiting(tenantID, insiderID), opened: Keys.opened(tenantID, insiderID),
            open: Keys.openErasures(tenantID, insiderID), field: udid.map(UserRecord.deviceField) ?? [],
            udid: udid ?? "", meant: number.map { Varint.encode($0) } ?? [], now: UserRecord.encode(erasure.erasedAt),
            kept: Int(ErasureQueue.kept.millisecondsRoundedUp),
            remembered: Int(ErasureQueue.remembered.millisecondsRoundedUp), item: erasure.description)
        let removed = try await run(call.replicated(within: StoreContext.replication))
        // Only one of several concurrent evictions finds the device.
        if number != nil, removed.devices == 0 {
            _ = try await value(RedisCommand("ZREM", Keys.due(erasure.shard), erasure.description))
        }
        usage.removed(devices: removed.devices, users: removed.users, tenantID: tenantID)
        let open = removed.open.compactMap { Erasure(item: $0) }
        return ErasureStart(erasure: erasure, devices: removed.devices, users: removed.users, open: open)
    }

    /// Checks for a lost gateway that began erasures of a tenant and did not report what it removed.
    func checkForLostGateways(_ tenantID: String) {
        usage.checkForLostGateways(tenantID)
    }

    /// Sets the function that continues erasures which the store begins. If it is not set or fails, the due queue
    /// continues them.
    func onBeginning(_ goOn: @escaping @Sendable (Erasure) async -> Void) {
        carrier.withLock { $0 = goOn }
    }

    /// Continues an erasure for which no caller waits.
    func goOn(with erasure: Erasure) async {
        await carrier.withLock { $0 }?(erasure)
    }
}
