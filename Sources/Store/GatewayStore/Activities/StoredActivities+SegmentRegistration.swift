import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredActivities {
    /// The outcome of a registration of a stored segment.
    public enum SegmentRegistration: Sendable {
        /// See `register(_:insiderIDs:tenantID:)`.
        case registered(RegistrationReport)
        case noSegment
        /// The segment has more eligible devices than an activity can have.
        case tooLarge
    }

    /// Makes an activity of the eligible devices of a stored segment's users, as the segment is now. Holds a few
    /// thousand users at a time, for a segment of any size.
    ///
    /// While users of a page get their slots, users of the next two pages are read, and users of the two pages before
    /// become members. So Redis always has work: up to `5 * StoreContext.commandsInWindow` commands at a time.
    ///
    /// The activity becomes visible with the last write. If the gateway dies earlier, the keys expire unused.
    /// - Parameter checkpoint: Called from time to time. An error that it throws stops the work, and no activity is
    ///   made.
    public func register(
        _ registration: Registration, segment name: String, tenantID: String, checkpoint: () throws -> Void
    ) async throws -> SegmentRegistration {
        guard let root = try await segments.segmentRoot(name, tenantID: tenantID) else { return .noSegment }
        let pages = root.parts.flatMap { $1.keys($0) }
        let id = try await ActivityNames(context: context).draw()
        return try await make(registration, as: id, tenantID: tenantID) { activity, stream in
            // An error cancels the tasks, and is thrown after they have ended.
            try await withThrowingTaskGroup(of: Stage.self) { group in
                var (begun, joining) = (0, 0)
                var ahead: [Int: PageOfUsers] = [:]
                for page in pages.indices {
                    try checkpoint()
                    // The present page and the next two.
                    while begun < min(pages.count, page + 3) {
                        group.addTask { [begun] in .read(begun, try await self.pageOfUsers(pages[begun], tenantID)) }
                        begun += 1
                    }
                    while ahead[page] == nil || joining > 2 { try await group.next()?.note(&ahead, &joining) }
                    guard let users = ahead.removeValue(forKey: page) else { continue }
                    try await self.prepare(activity, registration, stream)
                    stream.add(users.ids, users.records)
                    guard let writer = stream.next(isLast: page == pages.count - 1) else { continue }
                    _ = try await self.values(writer.freshPages())
                    joining += 1
                    group.addTask {
                        try await self.join(writer, activity, now: self.wallClock())
                        return .joined
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func pageOfUsers(_ key: String, _ tenantID: String) async throws(StoreError) -> PageOfUsers {
        let ids = try await segments.ids(ofPage: key)
        return (ids, try await devices.users(ids, tenantID: tenantID, placesIn: nil))
    }

    /// Makes an activity of the eligible devices of any number of users, a few at a time.
    /// - Parameter users: Passes each user once to `add`, in groups. `add` returns the users without a slot.
    func register(
        _ registration: Registration, as id: UniqueID, tenantID: String,
        users: (_ add: ([String]) async throws -> [String]) async throws -> Void
    ) async throws -> SegmentRegistration {
        try await make(registration, as: id, tenantID: tenantID) { activity, stream in
            try await users { ids in
                let records = try await self.devices.users(ids, tenantID: tenantID, placesIn: nil)
                try await self.prepare(activity, registration, stream)
                let placeless = stream.add(ids, records)
                try await self.write(stream.next(isLast: false), activity)
                return placeless
            }
            try await self.write(stream.next(isLast: true), activity)
        }
    }

    /// - Parameter body: Writes all users into the roster, and makes them members.
    private func make(
        _ registration: Registration, as id: UniqueID, tenantID: String,
        _ body: (Activity, inout RosterStream) async throws -> Void
    ) async throws -> SegmentRegistration {
        let activity = Activity(
            id: id, tenantID: tenantID, type: registration.type, createdAt: wallClock(),
            endsAt: registration.endsAt, activityIDAttribute: registration.activityIDAttribute,
            label: registration.label)
        var stream = RosterStream(
            activity, served: registration.served, follows: registration.channelUse != nil)
        var report = RegistrationReport()
        do {
            try await body(activity, &stream)
            report = stream.report
            guard report.devices > 0, stream.bands.largest <= StoredRoster.maximumSlots else {
                await roster.forget(activity, stream.bands.slots)
                return report.devices > 0 ? .tooLarge : .registered(report)
            }
            try await publish(activity, &report, registration, stream.bands)
        } catch {
            await roster.forget(activity, stream.bands.slots)
            throw error
        }
        return .registered(report)
    }

    /// Writes the invisible activity before the first user gets a slot.
    private func prepare(
        _ activity: Activity, _ registration: Registration, _ stream: RosterStream
    ) async throws(StoreError) {
        if stream.report.slots == 0 { _ = try await values(prepared(activity, registration)) }
    }

    /// Returns the commands that write an invisible activity without devices. They come before the first user joins,
    /// because a device that changes after its user joined updates its slot in the activity.
    func prepared(_ activity: Activity, _ registration: Registration) -> [RedisCommand] {
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
}

extension StoredRoster {
    /// Removes an activity that did not become visible, with its devices. If Redis does not answer, its keys expire.
    func forget(_ activity: Activity, _ slots: SlotRanges) async {
        let id = activity.id
        let pages = slots.pages.flatMap { page in
            [Keys.startPage(id, page), Keys.statusPage(id, page), Keys.identityPage(id, page)]
        }
        let partitions = Set(slots.pages.map { RosterGeometry.partition(ofPage: $0) })
        let keys = [Keys.activity(id)] + pages + partitions.map { Keys.counters(id, $0) }
        _ = try? await values(keys.map { RedisCommand("DEL", $0) })
    }
}

extension StoredSegments {
    fileprivate func ids(ofPage key: String) async throws(StoreError) -> [String] {
        var ids: [String] = []
        for page in try await segmentPages([key]) {
            guard SegmentPage.forEach(page, { ids.append(PackedName.decode($0)) }) else {
                throw .damaged("a page of a stored segment")
            }
        }
        return ids
    }
}

private typealias PageOfUsers = (ids: [String], records: [UserRecord?])

/// A completed task of the registration of a segment.
private enum Stage: Sendable {
    case read(Int, PageOfUsers)
    case joined

    func note(_ ahead: inout [Int: PageOfUsers], _ joining: inout Int) {
        switch self {
        case .read(let page, let users): ahead[page] = users
        case .joined: joining -= 1
        }
    }
}
