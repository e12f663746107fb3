import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredDevices {
    func user(_ insiderID: String, tenantID: String) async throws(StoreError) -> UserRecord? {
        UserRecord(try await value(RedisCommand("HGETALL", Keys.user(tenantID, insiderID))).fields)
    }

    /// Returns users in the order given; nil for unknown ones.
    func users(_ insiderIDs: [String], tenantID: String) async throws(StoreError) -> [UserRecord?] {
        try await users(insiderIDs, tenantID: tenantID, .all)
    }

    /// Returns users in the order given, with their places in one activity only, because there may be thousands of
    /// users.
    func users(
        _ insiderIDs: [String], tenantID: String, placesIn activity: UniqueID?
    ) async throws(StoreError) -> [UserRecord?] {
        try await users(insiderIDs, tenantID: tenantID, .only(activity))
    }

    private func users(
        _ insiderIDs: [String], tenantID: String, _ places: UserRecord.Places
    ) async throws(StoreError) -> [UserRecord?] {
        try await values(
            count: insiderIDs.count,
            command: { place in
                let key = Keys.encodedUser(tenantID, insiderIDs[place])
                var builder = RedisCommandBuilder(copying: StoredDevices.readHead, byteCountHint: key.count + 8)
                builder.append(key)
                return (consume builder).finish()
            }, read: { _, reply in UserRecord(reply, places) })
    }

    private static let readHead = RedisCommandBuilder("HGETALL")

    /// See `Scripts.putDevice`.
    func putDeviceCall(_ report: TokenReport, _ permit: MakingPermit) -> ScriptCall<Scripts.PutDeviceReply> {
        Scripts.putDevice(
            user: Keys.user(report.tenantID, report.key.insiderID), field: UserRecord.deviceField(report.key.udid),
            record: report.record, type: report.type, token: report.token,
            time: UserRecord.encode(report.receivedAt), may: permit.text, most: report.limits[.devicesPerUser],
            life: report.isImport ? "" : context.reportLife)
    }

    /// The pause between two reads of a user with a report in progress, and the longest wait for it.
    private static let reportPause = TimeInterval.milliseconds(20)
    static let reportPatience = TimeInterval.seconds(2)

    /// Returns the user once no report that may move a token is in progress, or as it is at a time.
    func settledUser(
        _ insiderID: String, tenantID: String, by end: MonotonicTime
    ) async throws(StoreError) -> UserRecord? {
        while true {
            let user = try await user(insiderID, tenantID: tenantID)
            guard user?.hasReportInProgress(at: wallClock()) == true, MonotonicTime.now() < end,
                (try? await Task.sleep(for: .nanoseconds(StoredDevices.reportPause.nanoseconds))) != nil
            else { return user }
        }
    }

    /// The most times that rosters are written for a device that changes in the meantime.
    private static let carryAttempts = 5

    /// Updates the rosters of a changed device, except the start cells in the activities `kept`. Each writer checks
    /// afterwards that it wrote the newest state, and writes again if not.
    func carryChange(
        of key: DeviceKey, _ user: UserRecord, tenantID: String, keepingStartCellsIn kept: Set<UniqueID> = []
    ) async throws(StoreError) {
        var user = user
        let now = wallClock()
        if let forget = user.forgetOutdated(key.insiderID, tenantID, now: now) { _ = try await values([forget]) }
        for _ in 0..<StoredDevices.carryAttempts {
            try await writeCells(of: key, user, now: now, keepingStartCellsIn: kept)
            let version = try await value(RedisCommand("HGET", Keys.user(tenantID, key.insiderID), "v")).bytes ?? []
            guard version != user.version, let fresh = try await self.user(key.insiderID, tenantID: tenantID) else {
                break
            }
            user = fresh
        }
    }

    private func writeCells(
        of key: DeviceKey, _ user: UserRecord, now: WallTime, keepingStartCellsIn kept: Set<UniqueID>
    ) async throws(StoreError) {
        let places = user.places(key.udid, now: now)
        let hashes = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        var commands: [RedisCommand] = []
        for (place, hash) in zip(places, hashes) {
            guard let record = ActivityRecord(place.id, hash.fields), record.activity.state != .dead else { continue }
            let activity = record.activity
            let device = user.device(key.udid)
            let shown = try await handOvers.shown([user], in: activity.id)[0]
            // The start page exists only while a start is in progress. Otherwise, the script skips the cell.
            let cell =
                device.map { shown[$0.number] != nil } ?? false
                ? TokenPage.cell(reason: .active) : user.startCell(key.udid, activity.type, slot: place.slot)
            commands += kept.contains(activity.id) ? [] : [roster.putStartCell(activity, slot: place.slot, cell)]
            if activity.state == .started, let reason = device?.device.refusesPushes {
                let cell = TokenPage.cell(reason: reason)
                commands.append(
                    roster.clearUpdateCell(activity, slot: place.slot, cell, status: nil, asOf: nil).command)
            } else if activity.state == .started, RosterGeometry.kind(ofSlot: place.slot).hasOneToken,
                let token = device.flatMap({ user.registrationToken(device: $0.number) })
            {
                commands.append(roster.replaceUpdateToken(activity, slot: place.slot, token))
            }
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }
}

extension UserRecord {
    /// Returns the command that deletes the fields of expired activities; nil if there are none.
    func forgetOutdated(_ insiderID: String, _ tenantID: String, now: WallTime) -> RedisCommand? {
        let fields = outdatedFields(now: now)
        guard !fields.isEmpty else { return nil }
        var builder = RedisCommandBuilder("HDEL")
        builder.append(Keys.user(tenantID, insiderID))
        for field in fields { builder.append(field) }
        return builder.finish()
    }

    /// Returns the start cell for one of the user's devices. A device that has changed its environment or its platform
    /// has no token for the slot's kind of route.
    func startCell(_ udid: String, _ type: String, slot: UInt32) -> [UInt8] {
        guard let device = device(udid) else { return TokenPage.cell(reason: .noDevice) }
        let token = startToken(device, type: type)
        if let reason = device.device.ineligibilityForStart(hasToken: token != nil) {
            return TokenPage.cell(reason: reason)
        }
        let kind = RosterGeometry.kind(ofSlot: slot).single
        guard let token, device.changedKind == nil || device.changedKind == kind else {
            return TokenPage.cell(reason: device.device.lacksToken)
        }
        return TokenPage.cell(
            content: kind.hasOneToken ? RegistrationToken.cellContent(token.token) : Array(token.token))
    }

    /// Returns the start cell of one of the user's devices with a token that another login has now.
    func startCell(_ udid: String, _ token: [UInt8], slot: UInt32) -> [UInt8] {
        guard let device = device(udid) else { return TokenPage.cell(reason: .noDevice) }
        if let reason = device.device.ineligibilityForStart(hasToken: true) { return TokenPage.cell(reason: reason) }
        let hasOneToken = RosterGeometry.kind(ofSlot: slot).hasOneToken
        return TokenPage.cell(content: hasOneToken ? RegistrationToken.cellContent(token[...]) : token)
    }
}
