import Delivery
public import LiveActivity
import RedisClient
import TimeCore

extension StoredDevices {
    /// Writes devices with their tokens, many at once, as an import does. A quota of the tenant that is used up is an error
    /// once all others have been written; how many devices are new in a minute is not looked at. Of devices that have the same
    /// token the last one keeps it.
    /// - Parameter devices: the token of an Android device is its registration token, that of others a push-to-start token for
    ///   any activity type.
    public func importDevices(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String,
        limits: TenantLimits = .standard
    ) async throws(StoreError) {
        let now = wallClock()
        let reports = devices.map { key, device, token in
            TokenReport(
                key: key, token: token ?? [], type: device.platform == .android ? UserRecord.registrationType : "",
                record: DeviceRecord.encode(device), tenantID: tenantID, receivedAt: now, limits: limits, isImport: true
            )
        }
        let replies = try await putImported(reports)
        let withToken = reports.filter { !$0.token.isEmpty }
        var claims = try await claim(withToken.map { ($0.index, $0.owner) }, reportedAt: now).makeIterator()
        var refusal: StoreError?
        for (report, reply) in zip(reports, replies) {
            do throws(StoreError) {
                try await conclude(report, reply, report.token.isEmpty ? nil : claims.next())
            } catch .quotaReached(let limit, let wait) {
                refusal = .quotaReached(limit, wait: wait)
            }
        }
        if let refusal { throw refusal }
    }

    /// Writes reports of an import, all of one tenant.
    func putImported(_ reports: [TokenReport]) async throws(StoreError) -> [PutDeviceReply] {
        guard let (tenantID, limits) = reports.first.map({ ($0.tenantID, $0.limits) }) else { return [] }
        let (permit, refused) = usage.importPermit(tenantID, limits)
        return try await values(reports.map { putDeviceCommand($0, permit) }).map { value in
            var reply = PutDeviceReply(value)
            var made = reply.made
            made.fresh = 0
            usage.settle(.none, made, tenantID: tenantID, limits)
            if reply.mayNotMakeDevice || reply.mayNotMakeUser {
                reply.refusal = refused.map { refusal($0.limit, $0.wait) }
            }
            return reply
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

    /// The same, of however many users, without their places in activities but the one given: users may be in thousands.
    func users(
        _ insiderIDs: [String], tenantID: String, placesIn activity: UniqueID?
    ) async throws(StoreError) -> [UserRecord?] {
        var users: [UserRecord?] = []
        users.reserveCapacity(insiderIDs.count)
        for start in stride(from: 0, to: insiderIDs.count, by: StoreContext.commandsInPiece) {
            let piece = insiderIDs[start..<min(start + StoreContext.commandsInPiece, insiderIDs.count)]
            for var user in try await self.users(Array(piece), tenantID: tenantID) {
                user?.forgetPlaces(except: activity)
                users.append(user)
            }
        }
        return users
    }

    /// See `Scripts.putDevice`.
    func putDeviceCommand(_ report: TokenReport, _ permit: MakingPermit) -> RedisCommand {
        RedisCommand(
            script: Scripts.putDevice, keys: [Keys.user(report.tenantID, report.key.insiderID)],
            arguments: [
                UserRecord.deviceField(report.key.udid), report.record, report.type, report.token,
                UserRecord.encode(report.receivedAt), permit.text, report.limits[.devicesPerUser],
                report.isImport ? "" : context.reportLife,
            ])
    }

    /// How often rosters are written again because the device has changed meanwhile.
    private static let carryAttempts = 5

    /// Brings the rosters that a changed device is in up to date. Changes of one device may be carried at the same time:
    /// whoever writes looks afterwards whether it wrote the newest, and writes again if not.
    func carryChange(
        of key: DeviceKey, _ user: UserRecord, tenantID: String
    ) async throws(StoreError) {
        var user = user
        let now = wallClock()
        if let forget = forgetOutdated(user, key.insiderID, tenantID, now: now) { _ = try await values([forget]) }
        for _ in 0..<StoredDevices.carryAttempts {
            try await writeCells(of: key, user, now: now)
            let version = try await value(RedisCommand("HGET", Keys.user(tenantID, key.insiderID), "v")).bytes ?? []
            guard version != user.version, let fresh = try await self.user(key.insiderID, tenantID: tenantID) else {
                return
            }
            user = fresh
        }
    }

    private func writeCells(of key: DeviceKey, _ user: UserRecord, now: WallTime) async throws(StoreError) {
        let places = user.places(key.udid, now: now)
        let hashes = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        var commands: [RedisCommand] = []
        for (place, hash) in zip(places, hashes) {
            guard let activity = ActivityRecord(place.id, hash.fields)?.activity, activity.state != .dead else {
                continue
            }
            let device = user.device(key.udid)
            // While a start is under way its page is there still; afterwards this is passed over.
            let cell = user.startCell(key.udid, activity.type, slot: place.slot)
            commands.append(roster.putStartCell(activity, slot: place.slot, cell))
            // Whoever takes the consent back gets no further update.
            if activity.state == .started, let reason = device?.device.refusesPushes {
                let cell = TokenPage.cell(reason: reason)
                commands.append(roster.clearUpdateCell(activity, slot: place.slot, cell, status: nil, asOf: nil))
            } else if activity.state == .started, RosterGeometry.kind(ofSlot: place.slot) == .fcm,
                let token = device.flatMap({ user.registrationToken(device: $0.number) })
            {
                commands.append(roster.replaceUpdateToken(activity, slot: place.slot, token))
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
    /// What stands in the start page for one of the user's devices. A device that has changed its environment or its platform
    /// has no token for the kind of route over which the slot is reached.
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
            content: kind == .fcm ? RegistrationToken.cellContent(token.token) : Array(token.token))
    }
}
