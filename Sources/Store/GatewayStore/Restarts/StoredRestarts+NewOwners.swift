import LiveActivity
import RedisClient

/// The token of a device that a restart is for, which another device reports now.
struct MovedToken {
    let token: [UInt8]
    /// The number of the start for the device.
    let number: Int
    /// The reason to skip the device if the new owner cannot be started.
    let lack: SkipReason
}

extension StoredRestarts {
    /// Finds the devices of the activity that have these tokens now. A phone whose login has changed is started under
    /// its present login.
    func findNewOwners(
        of moved: [MovedToken], in activity: Activity, _ preparation: inout RestartPreparation
    ) async throws(StoreError) {
        guard !moved.isEmpty else { return }
        let entries = try await values(moved.flatMap { TokenIndex($0.token, tenantID: activity.tenantID).reads })
        let owners = moved.indices.map { place in
            entries[(place * TokenIndex.levels)...].prefix(TokenIndex.levels).lazy.compactMap(\.bytes).first
                .flatMap { TokenOwner(entry: $0) }
        }
        let names = Array(Set(owners.compactMap { $0?.insiderID }))
        let records = try await devices.users(names, tenantID: activity.tenantID, placesIn: activity.id)
        let users = Dictionary(uniqueKeysWithValues: zip(names, records))
        for (moved, owner) in zip(moved, owners) {
            guard let owner, let user = users[owner.insiderID] ?? nil,
                let device = user.devices.first(where: { owner.isDevice($0.udid) }),
                let slot = user.membership(in: activity.id)?.slot(device: device.number)
            else {
                preparation.skipped[moved.lack] += 1
                continue
            }
            preparation.newOwners[slot] = max(moved.number, preparation.newOwners[slot] ?? 0)
        }
    }
}
