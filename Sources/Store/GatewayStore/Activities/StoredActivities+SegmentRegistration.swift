import LiveActivity
import RedisClient
import TimeCore

extension StoredActivities {
    /// What registering a stored segment came to.
    public enum SegmentRegistration: Sendable {
        /// As with `register(_:insiderIDs:tenantID:)`.
        case registered(RegistrationReport)
        case noSegment
        /// More devices are eligible than an activity can have.
        case tooLarge
    }

    /// Makes an activity of the eligible devices of a stored segment's users, as the segment is now. Holds some thousand
    /// users at a time, however many there are.
    ///
    /// The activity becomes visible with the last write. A gateway that dies before leaves keys behind that nothing
    /// refers to and that expire by themselves.
    /// - Parameter checkpoint: called now and then; what it throws ends the work, and there is no activity.
    public func register(
        _ registration: Registration, segment name: String, tenantID: String, checkpoint: () throws -> Void
    ) async throws -> SegmentRegistration {
        guard let root = try await segments.segmentRoot(name, tenantID: tenantID) else { return .noSegment }
        return try await register(registration, as: .random(), tenantID: tenantID) { add in
            for (partition, part) in root.parts {
                for page in part.keys(partition) {
                    try checkpoint()
                    _ = try await add(try await self.segmentIDs(page))
                }
            }
        }
    }

    /// Makes an activity of the eligible devices of any number of users, likewise.
    /// - Parameter users: goes through the users, each once, and hands over some at a time; `add` gives those back who have
    ///   got no place.
    func register(
        _ registration: Registration, as id: UniqueID, tenantID: String,
        users: (_ add: ([String]) async throws -> [String]) async throws -> Void
    ) async throws -> SegmentRegistration {
        let activity = Activity(
            id: id, tenantID: tenantID, type: registration.type, createdAt: wallClock(),
            endsAt: registration.endsAt, activityIDAttribute: registration.activityIDAttribute)
        var stream = RosterStream(
            activity, served: registration.served, follows: registration.channelUse != nil)
        do {
            try await users { ids in
                let records = try await self.devices.users(ids, tenantID: tenantID, placesIn: nil)
                if stream.report.slots == 0 { _ = try await self.values(self.prepared(activity, registration)) }
                let placeless = stream.add(ids, records)
                try await self.write(stream.next(isLast: false), activity)
                return placeless
            }
            try await write(stream.next(isLast: true), activity)
        } catch {
            await forget(activity)
            throw error
        }
        var report = stream.report
        guard report.devices > 0, stream.bands.largest <= StoredRoster.maximumSlots else {
            await forget(activity)
            return report.devices > 0 ? .tooLarge : .registered(report)
        }
        try await addToIndex(activity)
        _ = try await values(visible(activity, report, registration, stream.bands))
        report.activityID = activity.id
        return .registered(report)
    }

    private func segmentIDs(_ key: String) async throws(StoreError) -> [String] {
        var ids: [String] = []
        for page in try await segments.segmentPages([key]) {
            guard SegmentPage.forEach(page, { ids.append(PackedName.decode($0)) }) else {
                throw .damaged("a page of a stored segment")
            }
        }
        return ids
    }

    /// An activity that nobody knows yet, with nobody in it. It has to be there before the first user joins: a device that
    /// changes from then on looks it up to change its place in it.
    private func prepared(_ activity: Activity, _ registration: Registration) -> [RedisCommand] {
        let key = Keys.activity(activity.id)
        let topic = registration.topic.map { ["topic", $0.name] } ?? []
        return [
            RedisCommand(
                "HSET",
                arguments: [
                    key, "tenant", activity.tenantID, "type", activity.type, "state", "\(activity.state.rawValue)",
                    "created_at", "\(activity.createdAt.milliseconds)", "ends_at", "\(activity.endsAt.milliseconds)",
                ] + topic),
            RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds),
        ]
    }

    private func write(_ writer: RosterWriter?, _ activity: Activity) async throws(StoreError) {
        guard let writer else { return }
        _ = try await values(writer.freshPages())
        try await join(writer, activity, now: wallClock())
    }

    /// What else there is of the activity expires.
    private func forget(_ activity: Activity) async {
        _ = await redis.call(RedisCommand("DEL", Keys.activity(activity.id)))
    }
}
