import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Evicts the least needed device of a user who has reached the limit of devices.
final class DeviceEviction: StoreFeature {
    let context: StoreContext
    private let queue: ErasureQueue

    /// The number of further candidates with each attempt, which spreads concurrent newcomers over several devices.
    private static let spread = 4

    init(_ context: StoreContext, queue: ErasureQueue) {
        self.context = context
        self.queue = queue
    }

    /// Erases the least needed device of the newcomer's user: one that no push has ever reached, else the one with the
    /// oldest report.
    ///
    /// Only one of several concurrent newcomers can erase a given device. A repeated attempt therefore chooses among
    /// more candidates by the newcomer's udid. Otherwise, only one newcomer would get room at a time.
    /// - Parameter attempt: The number of former attempts for the newcomer.
    func evict(for newcomer: DeviceKey, tenantID: String, attempt: Int) async throws(StoreError) {
        let insiderID = newcomer.insiderID
        let fields = try await value(RedisCommand("HGETALL", Keys.user(tenantID, insiderID))).fields
        var devices = UserOccupancy(fields).devices
        let user = UserRecord(fields)
        let reached = try await reachedDevices(user, among: devices)
        for index in devices.indices where reached.contains(devices[index].number) { devices[index].isReached = true }
        devices.sort { $0.isLessNeeded(than: $1) }
        let candidates = devices.prefix { $0.isReached == devices[0].isReached }.prefix(
            1 + attempt * DeviceEviction.spread)
        guard !candidates.isEmpty else { return }
        let place = newcomer.udid.utf8.reduce(UInt(0)) { $0 &* 31 &+ UInt($1) } % UInt(candidates.count)
        let least = candidates[Int(place)]
        let key = DeviceKey(insiderID: insiderID, udid: least.udid)
        let start = try await queue.begin(key, number: least.number, tenantID: tenantID)
        // Otherwise, another newcomer has erased the device, or the device has come back.
        if start.devices > 0 { await queue.goOn(with: start.erasure) }
    }

    /// The numbers of devices that a push has reached, according to the activities that the user's hash still has.
    private func reachedDevices(
        _ user: UserRecord?, among devices: [UserOccupancy.Device]
    ) async throws(StoreError) -> Set<UInt32> {
        let unmarked = Set(devices.lazy.filter { !$0.isReached }.map(\.number))
        let places = (user?.memberships ?? []).flatMap { id, membership in
            membership.slots.filter { unmarked.contains($0.device) }.map { (id: id, device: $0.device, slot: $0.slot) }
        }
        guard !places.isEmpty else { return [] }
        // An activity that the device opened needs no push.
        let opened = try await values(places.map { RedisCommand("HEXISTS", Keys.activity($0.id), "external_id") })
        let statuses = try await statuses(of: places.map { ($0.id, $0.slot) })
        return zip(places, zip(opened, statuses)).reduce(into: []) { reached, entry in
            let (opened, status) = entry.1
            guard opened.int == 0 else { return }
            let isReached = status == DeliveryStatus.startAccepted || status >= DeliveryStatus.firstEnd
            if isReached { reached.insert(entry.0.device) }
        }
    }
}
