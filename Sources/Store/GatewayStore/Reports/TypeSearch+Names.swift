import LiveActivity
import RedisClient
import TimeCore

extension TypeSearch {
    /// The Live Activity that has a name.
    enum Named {
        /// The one that the device has now in the activity.
        case present
        /// One that it had before.
        /// - Parameters:
        ///   - isNamed: true if it was reported by that name.
        ///   - isReplaced: true if the device has reported a newer one by name. Only the app can end the earlier one,
        ///     because its former token got the end. Without a newer one it may be the only one on the phone.
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
        func isStartedSince(_ named: LiveActivityName) -> Bool {
            // A start that is still to come has not brought another Live Activity.
            guard status != DeliveryStatus.absent, !RestartRules.didNotGetLastStart(status),
                let preparedAt = StartNote(replies[1].string)?.preparedAt
            else { return false }
            return preparedAt > named.namedAt
        }
        guard let named = names.first(where: { $0.field == UserRecord.systemActivityField(name) })?.liveActivity else {
            guard let newest else { return .present }
            return isStartedSince(newest) ? .present : .earlier(isNamed: false)
        }
        guard named.isOfSameDevice(as: present), let newest else { return .another }
        let isReplaced = newest.namedAt > named.namedAt
        return isReplaced || isStartedSince(named) ? .earlier(isNamed: true, isReplaced: isReplaced) : .present
    }
}
