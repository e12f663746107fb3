import LiveActivity
import Reactor
import RedisClient
import TimeCore

// What the provider calls dead was somebody's: the token goes, and with it the entry that says whose it was, or entries
// would only ever grow in number.
extension StoredDevices {
    /// A push-to-start token that the provider called dead.
    struct DeadStartToken {
        let owner: IdentityRun.Entry
        let token: [UInt8]
        /// What was reported later is left.
        let asOf: WallTime
    }

    /// Drops the dead tokens of a page of a start, as far as the store is there. On the reactor, where `done` is called once.
    func dropStartTokens(_ outcome: PageOutcome, of order: BroadcastOrder, _ done: @escaping () -> Void) {
        let (activity, page, tokens) = (order.activity, outcome.page, outcome.deadTokens)
        // Confined to the reactor: it is called there.
        nonisolated(unsafe) let done = done
        Task {
            do throws(StoreError) {
                let identities = IdentityPage(
                    try await self.value(RedisCommand("HGETALL", Keys.identityPage(activity.id, page))).fields)
                let dead = tokens.compactMap { index, token, asOf in
                    identities.identity(index).map { DeadStartToken(owner: $0, token: token, asOf: asOf) }
                }
                try await self.drop(dead, tenantID: activity.tenantID, type: activity.type)
            } catch {}
            // Without a reactor nobody waits any more.
            _ = self.redis.reactor.execute { done() }
        }
    }

    /// Forgets dead tokens, and whose they were; other tokens of their devices stay. What could not be dropped is when the
    /// provider says so again.
    func drop(_ dead: [DeadStartToken], tenantID: String, type: String) async throws(StoreError) {
        let replies = try await values(dead.map { dropCommand($0, tenantID: tenantID, type: type) })
        let dropped = zip(dead, replies).filter { ($1.int ?? 0) > 0 }.map(\.0)
        guard !dropped.isEmpty else { return }
        let users = try await values(
            dropped.map { RedisCommand("HGETALL", Keys.user(tenantID, $0.owner.insiderID)) })
        let releases = zip(dropped, users).flatMap { dead, user in
            dead.formerOwner(user.fields).map { key in
                TokenIndex(dead.token, tenantID: tenantID).release(by: key, asOf: dead.asOf)
            } ?? []
        }
        if !releases.isEmpty { _ = try await values(releases) }
    }

    /// See `Scripts.dropToken`.
    func dropCommand(_ dead: DeadStartToken, tenantID: String, type: String) -> RedisCommand {
        RedisCommand(
            script: Scripts.dropToken, keys: [Keys.user(tenantID, dead.owner.insiderID)],
            arguments: [dead.asOf.milliseconds, dead.token]
                + ["", type].map { UserRecord.tokenField(device: dead.owner.device, $0) })
    }
}

extension StoredDevices.DeadStartToken {
    /// The device that had the token, by its user's hash; nil when it still has it, for activities of another type, or is
    /// not known.
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
