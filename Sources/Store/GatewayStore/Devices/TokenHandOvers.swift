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

    /// A device whose token is marked, and whose rosters are to be updated.
    struct LeftToken {
        let key: DeviceKey
        let owner: UserRecord
        /// The activities in which the start cell stays.
        var started: Set<UniqueID>
        /// The activities in which the start cell waits for the new owner's.
        var moving: Set<UniqueID> = []
    }

    /// Marks the token of its former owner's devices, unless they have reported it later.
    /// - Parameter isHandedOver: True if the reporting device has the token now. It then inherits the former places.
    func leave(
        _ report: TokenReport, _ owner: TokenOwner, isHandedOver: Bool
    ) async throws(StoreError) -> [LeftToken] {
        let userKey = Keys.user(report.tenantID, owner.insiderID)
        let fields = try await value(RedisCommand("HGETALL", userKey)).fields
        guard let former = UserRecord(fields) else { return [] }
        var left: [LeftToken] = []
        for (name, value) in fields
        where name.first == UInt8(ascii: "d") {
            let udid = PackedName.decode(name.dropFirst())
            guard owner.isDevice(udid), let number = DeviceRecord.number(value) else { continue }
            let key = DeviceKey(insiderID: owner.insiderID, udid: udid)
            let started = try await note(report, from: isHandedOver ? former : nil, udid)
            let reply = try await run(
                markCall(report.token, .elsewhere, userKey: userKey, number: number, asOf: report.receivedAt))
            let marked: UserRecord? =
                switch reply {
                case .member(let fields): UserRecord(fields)
                // A gateway that was cut off may have marked it.
                case .unmarked: former
                case .marked: nil
                }
            guard let marked else { continue }
            var token = LeftToken(key: key, owner: marked, started: started)
            if isHandedOver { try await move(report, &token) }
            left.append(token)
        }
        return left
    }

    /// See `Scripts.markToken`.
    func markCall(
        _ token: [UInt8], _ mark: UserRecord.Token.Marks, userKey: String, number: UInt32, asOf: WallTime
    ) -> ScriptCall<Scripts.MarkTokenReply> {
        Scripts.markToken(
            user: userKey, number: Varint.encode(number), token: token, latest: UserRecord.encode(asOf),
            mark: Int(mark.rawValue))
    }

    /// Records for the new owner of a token the places of the former owner's device in activities whose Live Activities
    /// the phone may show.
    /// - Parameter only: The activities to consider; nil for all.
    /// - Returns: The running activities in which the new owner has a place too. Only the former owner's place is
    ///   started there if their start is in progress.
    private func note(
        _ report: TokenReport, from former: UserRecord?, _ udid: String, only: Set<UniqueID>? = nil
    ) async throws(StoreError) -> Set<UniqueID> {
        guard let former else { return [] }
        let shown = try await shownPlaces(report, of: former, udid, only: only)
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

    private typealias Place = (activity: UniqueID, slot: UInt32, expiresAt: WallTime)

    /// The former owner's places whose Live Activities the phone may show.
    private func shownPlaces(
        _ report: TokenReport, of former: UserRecord, _ udid: String, only: Set<UniqueID>?
    ) async throws(StoreError) -> [(place: Place, isRunning: Bool)] {
        guard let number = former.device(udid)?.number else { return [] }
        let now = wallClock()
        let own = former.memberships.compactMap { id, membership -> Place? in
            membership.expiresAt > now
                ? membership.slot(device: number).map { (id, $0, membership.expiresAt) } : nil
        }
        let inherited = former.handOvers(ofDevice: number).map { ($0.activity, $0.slot, $0.expiresAt) as Place }
        // The own place may be empty while the Live Activity of an inherited one is on the phone, or the reverse.
        let places = (own + inherited).filter { only?.contains($0.activity) ?? true }
        guard !places.isEmpty else { return [] }
        let hashes = try await values(
            places.map { RedisCommand("HMGET", Keys.activity($0.activity), "state", "type", "started_at") })
        return zip(places, hashes).compactMap { place, hash in
            let fields = (hash.array ?? []).map(\.string)
            guard fields.count == 3, let startedAt = fields[2].flatMap({ Int64($0) }) else { return nil }
            let isRunning = fields[0] == "\(Activity.State.started.rawValue)"
            guard isRunning || WallTime(milliseconds: startedAt) + Lifecycle.shownLifetime > now else { return nil }
            let isOfType =
                report.type.isEmpty || report.type == UserRecord.registrationType || report.type == fields[1]
            return isOfType ? (place, isRunning) : nil
        }
    }

    /// Marks the start cells of both owners as moving in registered activities in which both have a place. A start that
    /// begins from here on waits for these cells. In activities that have started, the former owner's cell keeps the
    /// token, because the start may have passed the new owner's.
    private func move(_ report: TokenReport, _ left: inout LeftToken) async throws(StoreError) {
        let places = left.owner.places(left.key.udid, now: wallClock())
        guard !places.isEmpty else { return }
        let userKey = Keys.user(report.tenantID, report.key.insiderID)
        let newOwner = UserRecord(try await value(RedisCommand("HGETALL", userKey)).fields)
        let own = newOwner?.places(report.key.udid, now: wallClock()) ?? []
        let slots = Dictionary(own.map { ($0.id, $0.slot) }) { first, _ in first }
        let shared = places.filter { place in slots[place.id].map { $0 != place.slot } ?? false }
        let waiting = try await records(of: shared.map(\.id)).filter {
            $0.value.activity.state == .registered && !left.started.contains($0.key)
        }
        let moving = shared.compactMap { place in waiting[place.id].map { (former: place.slot, $0.activity) } }
        _ = try await values(
            moving.flatMap { former, activity in
                [former, slots[activity.id] ?? former].map {
                    roster.putStartCell(activity, slot: $0, TokenPage.cellOfMovingToken)
                }
            })
        let started = try await records(of: shared.map(\.id)).filter { $0.value.activity.state == .started }
        left.moving = Set(waiting.keys).subtracting(started.keys)
        guard !started.isEmpty else { return }
        let unnoted = Set(started.keys).subtracting(left.started)
        if !unnoted.isEmpty { _ = try await note(report, from: left.owner, left.key.udid, only: unnoted) }
        left.started.formUnion(started.keys)
        // Only the cells marked here: after an interrupted report the new owner's may have the token.
        let back = moving.filter { started[$1.id] != nil }
        _ = try await values(
            back.map { slot, activity in
                roster.putStartCell(activity, slot: slot, left.owner.startCell(left.key.udid, report.token, slot: slot))
            })
    }

    private func records(of ids: [UniqueID]) async throws(StoreError) -> [UniqueID: ActivityRecord] {
        let hashes = try await values(ids.map { RedisCommand("HGETALL", Keys.activity($0)) })
        let records = zip(ids, hashes).compactMap { id, hash in ActivityRecord(id, hash.fields).map { (id, $0) } }
        return Dictionary(records) { one, _ in one }
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
            let isShown = SlotState(status: cell.status, report: cell.report).mayShow
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
