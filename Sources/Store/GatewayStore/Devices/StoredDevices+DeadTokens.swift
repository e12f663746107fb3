import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

// Drops tokens that the provider reports as dead, with their entries in the index of owners. Otherwise, the index would
// grow forever.
extension StoredDevices {
    /// A push-to-start token or a registration token that the provider reported as dead.
    struct DeadStartToken {
        let owner: IdentityRun.Entry
        let token: [UInt8]
        /// A token with a later report stays.
        let asOf: WallTime
    }

    /// Drops the dead tokens of a page of a start, or of any broadcast to Android, if the store answers. Calls `done`
    /// once on the reactor, with the indexes of Android devices that still have a token. That token is a new one, or
    /// was reported again since.
    func dropStartTokens(_ outcome: PageOutcome, of order: BroadcastOrder, _ done: @escaping (Set<Int>) -> Void) {
        let (activity, page, tokens) = (order.activity, outcome.page, outcome.deadTokens)
        let hasOneToken = RosterGeometry.kind(ofPage: page).hasOneToken
        perform(
            { () throws(StoreError) in
                let identities = try await self.identities(page, of: activity.id)
                let dead = tokens.compactMap { index, token, asOf in
                    identities.identity(index).map {
                        DeadStartToken(
                            owner: $0, token: hasOneToken ? RegistrationToken.unescaped(token) : token, asOf: asOf)
                    }
                }
                let types = hasOneToken ? [UserRecord.registrationType] : ["", activity.type]
                try await self.drop(dead, tenantID: activity.tenantID, types: types)
                guard hasOneToken else { return Set<Int>() }
                let indexes = tokens.map(\.index).filter { identities.identity($0) != nil }
                let present = try await self.registrationTokens(dead.map(\.owner), tenantID: activity.tenantID)
                return Set(zip(indexes, present).filter { $1 != nil }.map(\.0))
            }, then: { done((try? $0.get()) ?? []) })
    }

    /// The present registration tokens of devices, with any marks; nil for none.
    func registrationTokens(
        _ owners: [IdentityRun.Entry], tenantID: String
    ) async throws(StoreError) -> [[UInt8]?] {
        try await values(
            owners.map { owner in
                RedisCommand(
                    "HGET", Keys.user(tenantID, owner.insiderID),
                    UserRecord.tokenField(device: owner.device, UserRecord.registrationType))
            }
        ).map { $0.bytes.map { Array($0.dropFirst(UserRecord.timeLength)) } }
    }

    /// Drops dead tokens and their owners. Other tokens of the devices stay. The provider's next answer repeats a drop
    /// that failed.
    /// - Parameter types: The activity types whose tokens are dropped.
    func drop(_ dead: [DeadStartToken], tenantID: String, types: [String]) async throws(StoreError) {
        let calls = dead.map { dropCall($0, tenantID: tenantID, types: types) }
        var dropped: [DeadStartToken] = []
        for (index, reply) in try await values(calls.map(\.command)).enumerated()
        where try calls[index].reply(reply) > 0 {
            dropped.append(dead[index])
        }
        guard !dropped.isEmpty else { return }
        let users = try await values(
            dropped.map { RedisCommand("HGETALL", Keys.user(tenantID, $0.owner.insiderID)) })
        let releases = zip(dropped, users).flatMap { dead, user in
            dead.formerOwner(user.fields).map { key in
                TokenIndex(dead.token, tenantID: tenantID).release(by: TokenOwner(key), asOf: dead.asOf)
            } ?? []
        }
        if !releases.isEmpty { _ = try await values(releases) }
        _ = try await values(
            dropped.map {
                let replaced = UserRecord.ReplacedToken($0.token, device: $0.owner.device)
                return RedisCommand("HDEL", Keys.user(tenantID, $0.owner.insiderID), replaced.field)
            })
    }

    /// See `Scripts.dropToken`.
    func dropCall(_ dead: DeadStartToken, tenantID: String, types: [String]) -> ScriptCall<Int> {
        Scripts.dropToken(
            user: Keys.user(tenantID, dead.owner.insiderID), latest: dead.asOf.milliseconds, token: dead.token,
            fields: types.map { UserRecord.tokenField(device: dead.owner.device, $0) })
    }
}

extension StoredDevices.DeadStartToken {
    /// The device that had the token, from its user's hash; nil if it is unknown, or has the same token for another
    /// activity type.
    fileprivate func formerOwner(_ fields: [RedisField]) -> DeviceKey? {
        let prefix = UserRecord.tokenField(device: owner.device, "")
        let isKept = fields.contains { name, value in
            name.starts(with: prefix) && value.dropFirst(UserRecord.timeLength).elementsEqual(token)
        }
        guard !isKept else { return nil }
        let device = fields.first { name, value in
            name.first == UInt8(ascii: "d") && DeviceRecord.number(value) == owner.device
        }
        return device.map {
            DeviceKey(insiderID: owner.insiderID, udid: PackedName.decode($0.name.dropFirst()))
        }
    }
}
