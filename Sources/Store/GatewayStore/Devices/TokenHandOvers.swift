import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Tokens that move to another login. A phone shows the Live Activities that were started for its push-to-start token,
/// under any login. So the new owner inherits the former owner's places, and no activity is started twice for a token.
final class TokenHandOvers: StoreFeature {
    let context: StoreContext
    private let roster: StoredRoster

    init(_ context: StoreContext, roster: StoredRoster) {
        self.context = context
        self.roster = roster
    }

    /// Records for the new owner of a token the places of the former owner's device in activities whose Live Activities
    /// the phone may show.
    /// - Parameter only: The activities to consider; nil for all.
    /// - Returns: The running activities in which the new owner has a place too. Only the former owner's place is
    ///   started there if their start is in progress.
    func note(
        _ report: TokenReport, from former: UserRecord?, _ udid: String, only: Set<UniqueID>? = nil
    ) async throws(StoreError) -> Set<UniqueID> {
        guard let former, let formerNumber = former.device(udid)?.number else { return [] }
        let now = wallClock()
        typealias Place = (activity: UniqueID, slot: UInt32, expiresAt: WallTime)
        let own = former.memberships.compactMap { id, membership -> Place? in
            membership.expiresAt > now
                ? membership.slot(device: formerNumber).map { (id, $0, membership.expiresAt) } : nil
        }
        let inherited = former.handOvers(ofDevice: formerNumber).map { ($0.activity, $0.slot, $0.expiresAt) as Place }
        // The own place may be empty while the Live Activity of an inherited one is on the phone, or the reverse.
        let places = (own + inherited).filter { only?.contains($0.activity) ?? true }
        guard !places.isEmpty else { return [] }
        let hashes = try await values(
            places.map { RedisCommand("HMGET", Keys.activity($0.activity), "state", "type", "started_at") })
        let shown = zip(places, hashes).compactMap { place, hash -> (place: Place, isRunning: Bool)? in
            let fields = (hash.array ?? []).map(\.string)
            guard fields.count == 3, let startedAt = fields[2].flatMap({ Int64($0) }) else { return nil }
            let isRunning = fields[0] == "\(Activity.State.started.rawValue)"
            guard isRunning || WallTime(milliseconds: startedAt) + Lifecycle.shownLifetime > now else { return nil }
            let isOfType =
                report.type.isEmpty || report.type == UserRecord.registrationType || report.type == fields[1]
            return isOfType ? (place, isRunning) : nil
        }
        let userKey = Keys.user(report.tenantID, report.key.insiderID)
        guard !shown.isEmpty else { return [] }
        let fields = try await value(RedisCommand("HGETALL", userKey)).fields
        // Tokens may be reported before the device's properties.
        let deviceField = UserRecord.deviceField(report.key.udid)
        guard let user = UserRecord(fields),
            let number = fields.first(where: { $0.name == deviceField }).flatMap({ DeviceRecord.number($0.value) })
        else { return [] }
        let entries = shown.flatMap { place, _ -> [any RedisArgumentConvertible] in
            var membership = Membership(expiresAt: place.expiresAt)
            membership.add(device: number, slot: place.slot)
            let field = UserRecord.handOverField(device: number, place.activity, slot: place.slot)
            return [field, membership.bytes]
        }
        _ = try await run(Scripts.noteHandOver(user: userKey, device: deviceField, entries: entries))
        var shared: Set<UniqueID> = []
        for (place, isRunning) in shown where isRunning {
            guard let own = user.membership(in: place.activity)?.slot(device: number), own != place.slot else {
                continue
            }
            shared.insert(place.activity)
            try await drop(own, in: place.activity, ifTokenIsOf: place.slot)
        }
        return shared
    }

    /// Restores the former owner's start cells in activities whose start was recorded while they were cleared, because
    /// it may have read them before. There too, the former owner's place is the only one that is started for the phone.
    /// This is for topics, whose driver starts the new owner's place if the former one was not started.
    /// - Parameters:
    ///   - before: The former owner's record with the token.
    ///   - kept: The activities whose cells were not cleared.
    func restore(
        _ report: TokenReport, from key: DeviceKey, before: UserRecord, except kept: Set<UniqueID>
    ) async throws(StoreError) {
        let userKey = Keys.user(report.tenantID, key.insiderID)
        guard let former = UserRecord(try await value(RedisCommand("HGETALL", userKey)).fields) else { return }
        let places = former.places(key.udid, now: wallClock())
        let hashes = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        let records = zip(places, hashes).compactMap { place, hash in
            ActivityRecord(place.id, hash.fields).map { (slot: place.slot, record: $0) }
        }.filter { $0.record.topic != nil && $0.record.activity.state == .started }
        guard !records.isEmpty else { return }
        let started = try await note(report, from: former, key.udid, only: Set(records.map(\.record.activity.id)))
            .subtracting(kept)
        for (slot, record) in records where started.contains(record.activity.id) {
            let cell = before.startCell(key.udid, record.activity.type, slot: slot)
            _ = try await value(roster.putStartCell(record.activity, slot: slot, cell))
        }
    }

    /// Drops the update token of the new owner's place if it is that of the former owner's Live Activity. The app
    /// reported it before the push-to-start token.
    private func drop(
        _ own: UInt32, in activity: UniqueID, ifTokenIsOf other: UInt32
    ) async throws(StoreError) {
        guard ![own, other].contains(where: { RosterGeometry.kind(ofSlot: $0).hasOneToken }) else { return }
        let cells = try await roster.cells(
            [own, other].map {
                let page = RosterGeometry.page(ofSlot: $0)
                return roster.readCells(page, [RosterGeometry.index(ofSlot: $0)], .update, activity)
            })
        let tokens = cells.map { $0.first?.content.dropFirst(UpdateToken.timeLength) ?? [] }
        let token = tokens[0]
        guard !token.isEmpty, token == tokens[1],
            let record = ActivityRecord(
                activity, try await value(RedisCommand("HGETALL", Keys.activity(activity))).fields)
        else { return }
        let cell = TokenPage.cell(reason: nil)
        _ = try await run(
            roster.clearUpdateCell(
                record.activity, slot: own, cell, status: nil, asOf: wallClock(), token: Array(token)))
    }

    /// The devices whose phone shows the activity under another login, or is about to. The values are the slots of
    /// those Live Activities, by device, for each user.
    func shown(_ users: [UserRecord?], in activity: UniqueID) async throws(StoreError) -> [[UInt32: [UInt32]]] {
        var found = [[UInt32: [UInt32]]](repeating: [:], count: users.count)
        var asked: [(index: Int, device: UInt32, slot: UInt32)] = []
        for (index, user) in users.enumerated() {
            guard let user else { continue }
            for handOver in user.handOvers where handOver.activity == activity {
                // This is the device's own place.
                guard user.membership(in: activity)?.slot(device: handOver.device) != handOver.slot else { continue }
                asked.append((index, handOver.device, handOver.slot))
            }
        }
        guard !asked.isEmpty else { return found }
        let open = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(activity))).fields
            .compactMap { OpenBroadcast($0, $1) }
        let isStarting = open.contains { $0.kind == .start }
        let cells = try await roster.cells(
            asked.map {
                let page = RosterGeometry.page(ofSlot: $0.slot)
                return roster.readCells(page, [RosterGeometry.index(ofSlot: $0.slot)], .update, activity)
            })
        for (place, cells) in zip(asked, cells) {
            guard let cell = cells.first else { continue }
            // A login that was not started may have reported the Live Activity first.
            let isReported = cell.status == DeliveryStatus.registered && cell.updateTokenState == .present
            let isShown =
                isReported || DeliveryStatus.mayShowLiveActivity(cell.status) && cell.updateTokenState != .dead
            // The start may have passed the former owner's page already.
            var isUnderWay = isStarting && cell.status == DeliveryStatus.registered
            if isUnderWay, !isShown { isUnderWay = try await !isLeftOut(place.slot, in: activity) }
            if isShown || isUnderWay { found[place.index][place.device, default: []].append(place.slot) }
        }
        return found
    }

    /// True if a start skips a place because it starts the phone under another login.
    private func isLeftOut(_ slot: UInt32, in activity: UniqueID) async throws(StoreError) -> Bool {
        let (page, index) = (RosterGeometry.page(ofSlot: slot), RosterGeometry.index(ofSlot: slot))
        let cells = try await run(roster.readCells(page, [index], .pushToStart, activity))
        return RosterCell.decode(cells).first?.reason == .active
    }
}
