public import LiveActivity
import RedisClient

// Schedules of apps, each for the devices of the app's user. They wait in two lists: a limited one of the user, and one
// of all users of the activity.
extension StoredSchedules {
    private static let atOnce = 250

    /// The waiting schedules of a user by due time.
    public func schedules(of activity: UniqueID, owner: String) async throws(StoreError) -> [Schedule] {
        let ids = try await ids(in: Keys.schedules(ofUser: owner, activity), from: 0)
        return try await schedules(ids, of: activity)
    }

    /// The number of waiting schedules of users.
    public func countOfUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int {
        Int(try await value(RedisCommand("ZCARD", Keys.usersSchedules(activity))).int ?? 0)
    }

    /// Deletes all waiting schedules of users, and returns their number. A schedule that is added concurrently may
    /// stay.
    public func cancelUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int {
        var (dropped, passedOver) = (0, 0)
        while true {
            let ids = try await ids(in: Keys.usersSchedules(activity), from: passedOver)
            if ids.isEmpty { return dropped }
            let found = try await schedules(ids, of: activity)
            let calls = found.map { changing($0, nil) }
            let replies = try await values(calls.map(\.command))
            var gone: [Schedule] = []
            for (index, reply) in replies.enumerated() where try calls[index].reply(reply) {
                gone.append(found[index])
            }
            try? await reserved.release(gone)
            dropped += gone.count
            // The others have been carried out, or cannot be read.
            passedOver += ids.count - gone.count
        }
    }

    private func ids(in list: String, from first: Int) async throws(StoreError) -> [UniqueID] {
        let command = RedisCommand("ZRANGE", list, first, first + StoredSchedules.atOnce - 1)
        return (try await value(command).array ?? []).compactMap { $0.string.flatMap { UniqueID($0) } }
    }

    func schedules(_ ids: [UniqueID], of activity: UniqueID) async throws(StoreError) -> [Schedule] {
        let replies = try await values(
            ids.map { RedisCommand("HMGET", arguments: [Keys.schedule(activity, $0)] + Schedule.listedFields) })
        return zip(ids, replies).compactMap { id, reply in
            let fields = zip(Schedule.listedFields, reply.array ?? []).compactMap { name, value in
                value.bytes.map { (name: Array(name.utf8), value: $0) }
            }
            return Schedule(id, in: activity, fields) { _, _ in nil }
        }
    }
}
