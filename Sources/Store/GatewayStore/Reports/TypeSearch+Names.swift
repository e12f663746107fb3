import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension TypeSearch {
    /// The Live Activity that has a name.
    enum Named {
        /// The one that the device has now in the activity.
        case present
        /// One that it had before.
        /// - Parameters:
        ///   - isNamed: true if it was reported by that name.
        ///   - isReplaced: true if the device's Live Activity has ended, or if this one was named before the last start
        ///     and another one since. Only the app can end it, because no push reaches its new token.
        case earlier(isNamed: Bool, isReplaced: Bool = false)
        /// One of another activity, or of another device.
        case another
    }

    /// An earlier one when the device has named another Live Activity of the activity since, or was started again
    /// since.
    func liveActivity(
        named name: String, _ key: DeviceKey, slot: UInt32, in activity: Activity
    ) async throws(StoreError) -> Named {
        let counts = Keys.startCounts(activity.id, RosterGeometry.partition(ofSlot: slot))
        let replies = try await values([
            RedisCommand("HGETALL", Keys.user(activity.tenantID, key.insiderID)),
            RedisCommand("HGET", counts, Int(slot)),
        ])
        let status = try await status(of: slot, in: activity.id)
        let names = UserRecord(replies[0].fields)?.liveActivityNames ?? []
        let present = LiveActivityName(activity: activity.id, udid: key.udid, namedAt: WallTime(milliseconds: 0))
        let newest = names.map(\.liveActivity).filter { $0.isOfSameDevice(as: present) }.max { $0.namedAt < $1.namedAt }
        // A start that is still to come has not brought another Live Activity.
        let hasStart = status != DeliveryStatus.absent && !RestartRules.didNotGetLastStart(status)
        let startedAt = hasStart ? StartNote(replies[1].string)?.preparedAt : nil
        func isStartedSince(_ named: LiveActivityName) -> Bool { startedAt.map { $0 > named.namedAt } ?? false }
        guard let named = names.first(where: { $0.field == UserRecord.systemActivityField(name) })?.liveActivity else {
            guard let newest else { return .present }
            return isStartedSince(newest) ? .present : .earlier(isNamed: false)
        }
        guard named.isOfSameDevice(as: present), let newest else { return .another }
        guard newest.namedAt > named.namedAt || isStartedSince(named) else { return .present }
        // The order of first reports alone does not show which one is newer.
        let isReplaced = isStartedSince(named) && !isStartedSince(newest) || DeliveryStatus.endReason(status) != nil
        return .earlier(isNamed: true, isReplaced: isReplaced)
    }
}
