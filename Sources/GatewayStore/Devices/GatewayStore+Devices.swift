public import LiveActivity
import RedisClient
import TimeCore

extension GatewayStore {
    /// Writes devices with their tokens, many at once, as an import does.
    public func importDevices(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String
    ) async throws(StoreError) {
        let now = wallClock()
        var commands: [RedisCommand] = []
        for (key, device, token) in devices {
            var builder = RedisCommandBuilder("HSET", byteCountHint: 256)
            builder.append(Keys.user(tenantID, key.insiderID))
            builder.append(UserRecord.deviceField(key.udid))
            builder.append(DeviceRecord.encode(device))
            if let token {
                builder.append(UserRecord.tokenField(key.udid, ""))
                builder.append(UserRecord.encodeToken(token, reportedAt: now))
            }
            commands.append(builder.finish())
            commands.append(RedisCommand("HINCRBY", Keys.user(tenantID, key.insiderID), "v", 1))
        }
        _ = try await values(commands)
    }

    /// Forgets a push-to-start token that the provider called dead, unless it was reported after `asOf`; another token
    /// of the device stays.
    func dropPushToStartToken(
        _ token: [UInt8], of key: DeviceKey, tenantID: String, type: String, asOf: WallTime
    ) -> [RedisCommand] {
        ["", type].map { type in
            RedisCommand(
                script: Scripts.dropToken, keys: [Keys.user(tenantID, key.insiderID)],
                arguments: [UserRecord.tokenField(key.udid, type), asOf.milliseconds, token])
        }
    }

    func user(_ insiderID: String, tenantID: String) async throws(StoreError) -> UserRecord? {
        UserRecord(try await value(RedisCommand("HGETALL", Keys.user(tenantID, insiderID))).fields)
    }

    /// The users in the order given; nil for those that are not known.
    func users(_ insiderIDs: [String], tenantID: String) async throws(StoreError) -> [UserRecord?] {
        try await values(insiderIDs.map { RedisCommand("HGETALL", Keys.user(tenantID, $0)) }).map {
            UserRecord($0.fields)
        }
    }

    /// How often rosters are written again because the device has changed meanwhile.
    private static let carryAttempts = 5

    /// Brings the rosters that a changed device is in up to date. Changes of one device may be carried at the same time:
    /// whoever writes looks afterwards whether he wrote the newest, and writes again if not.
    func carryChange(
        of key: DeviceKey, _ user: UserRecord, tenantID: String
    ) async throws(StoreError) {
        var user = user
        let now = wallClock()
        if let forget = forgetOutdated(user, key.insiderID, tenantID, now: now) { _ = try await values([forget]) }
        for _ in 0..<GatewayStore.carryAttempts {
            try await writeCells(of: key, user, now: now)
            let version = try await value(RedisCommand("HGET", Keys.user(tenantID, key.insiderID), "v")).bytes ?? []
            guard version != user.version, let fresh = try await self.user(key.insiderID, tenantID: tenantID) else {
                return
            }
            user = fresh
        }
    }

    private func writeCells(of key: DeviceKey, _ user: UserRecord, now: WallTime) async throws(StoreError) {
        let places = user.memberships.compactMap { id, membership in
            membership.expiresAt > now ? membership.slot(udid: key.udid).map { (id: id, slot: $0) } : nil
        }
        let hashes = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        var commands: [RedisCommand] = []
        for (place, hash) in zip(places, hashes) {
            guard let activity = ActivityRecord(place.id, hash.fields)?.activity, activity.state != .dead else {
                continue
            }
            // While a start is under way its page is there still; afterwards this is passed over.
            commands.append(putStartCell(activity, slot: place.slot, user.startCell(key.udid, activity.type)))
            // Whoever takes his consent back gets no further update.
            if activity.state == .started, let reason = user.device(key.udid)?.refusesPushes {
                let cell = TokenPage.cell(reason: reason)
                commands.append(clearUpdateCell(activity, slot: place.slot, cell, fate: nil, asOf: nil))
            }
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Drops what a user's hash still holds of activities that are over; nil when there is nothing.
    func forgetOutdated(_ user: UserRecord, _ insiderID: String, _ tenantID: String, now: WallTime) -> RedisCommand? {
        let fields = user.outdatedFields(now: now)
        guard !fields.isEmpty else { return nil }
        var builder = RedisCommandBuilder("HDEL")
        builder.append(Keys.user(tenantID, insiderID))
        for field in fields { builder.append(field) }
        return builder.finish()
    }
}

extension UserRecord {
    /// What stands in the start page for one of the user's devices.
    func startCell(_ udid: String, _ type: String) -> [UInt8] {
        guard let device = device(udid) else { return TokenPage.cell(reason: .noDevice) }
        let token = pushToStartToken(udid: udid, type: type)
        if let reason = device.ineligibilityForStart(hasPushToStartToken: token != nil) {
            return TokenPage.cell(reason: reason)
        }
        return token.map { TokenPage.cell(content: $0.token) } ?? TokenPage.cell(reason: .noPushToStartToken)
    }
}
