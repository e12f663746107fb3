import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// Where every erasure begins, whoever asks for it: takes a user, or a device, out of the user's hash, and leaves the
/// rest to whoever goes on with it.
final class ErasureQueue: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let carrier = Locked<(@Sendable (Erasure) async -> Void)?>(nil)

    /// How long what was set aside is kept, should nobody be able to go on: as long as anything of an activity.
    static let kept = TimeInterval.seconds(9 * 86_400)
    /// Longer than a report may be under way (`GatewayStore.reportLife`).
    static let remembered = TimeInterval.seconds(15)

    /// Longer than the step may be under way, and then remembered.
    static let announced = TimeInterval.seconds(600)

    init(_ context: StoreContext, usage: TenantUsage) {
        self.context = context
        self.usage = usage
    }

    /// Begins to erase a user. What is reported from now on is of a new one.
    func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await begin(
            Erasure(tenantID: tenantID, insiderID: insiderID, isOfUser: true, erasedAt: wallClock()), udid: nil)
    }

    /// Begins to erase a device.
    /// - Parameter number: of the one that is meant, which makes way for another one: the user stays even without a
    ///   device, and nothing happens when the device has come back under another number. Nil: whichever is there.
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
        // Ahead of the step, perhaps on another node. An item that nothing was set aside for is dropped.
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
        // Reports what is removed, or withdraws the announcement.
        defer { usage.checkForLostGateways(tenantID) }
        let command = RedisCommand(
            script: Scripts.setAside,
            keys: [
                Keys.user(tenantID, insiderID), Keys.setAside(erasure), Keys.erased(tenantID, insiderID),
                Keys.follows(tenantID, insiderID), Keys.waiting(tenantID, insiderID),
                Keys.opened(tenantID, insiderID), Keys.openErasures(tenantID, insiderID),
            ],
            arguments: [
                udid.map(UserRecord.deviceField) ?? [], udid ?? "", number.map { Varint.encode($0) } ?? [],
                UserRecord.encode(erasure.erasedAt), Int(ErasureQueue.kept.millisecondsRoundedUp),
                Int(ErasureQueue.remembered.millisecondsRoundedUp), erasure.description,
            ])
        let reply = try await value(command.replicated(within: StoreContext.replication)).array ?? []
        guard reply.count >= 2, let devices = reply[0].int, let users = reply[1].int else {
            throw .damaged("a user that is to be erased")
        }
        // Of many who make room at the same time one alone has found the device.
        if number != nil, devices == 0 {
            _ = try await value(RedisCommand("ZREM", Keys.due(erasure.shard), erasure.description))
        }
        usage.removed(devices: Int(devices), users: Int(users), tenantID: tenantID)
        let open = reply[2...].compactMap { Erasure(item: $0.string ?? "") }
        return ErasureStart(erasure: erasure, devices: Int(devices), users: Int(users), open: open)
    }

    /// Checks for a lost gateway that began erasures of a tenant and did not report what it removed.
    func checkForLostGateways(_ tenantID: String) {
        usage.checkForLostGateways(tenantID)
    }

    /// Has erasures that the store begins by itself gone on with at once. Without that, and when it fails, the due
    /// queue does.
    func onBeginning(_ goOn: @escaping @Sendable (Erasure) async -> Void) {
        carrier.withLock { $0 = goOn }
    }

    /// Goes on with an erasure that nobody is answered for.
    func goOn(with erasure: Erasure) async {
        await carrier.withLock { $0 }?(erasure)
    }
}
