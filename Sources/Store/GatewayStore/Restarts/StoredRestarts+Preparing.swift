import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The outcome of a restart whose lock is held.
public enum RestartResult: Sendable {
    case begun(BroadcastOrder)
    /// No device is to be started.
    case nobody(SkipCounts)
    /// The lock was lost, or the activity has changed.
    case contended
}

extension StoredRestarts {
    /// Prepares a restart and records it for the selected slots. The lock is given back.
    /// - Parameters:
    ///   - draft: The start, without its slots.
    ///   - mark: See `prepareRestart`.
    ///   - pages: See `prepareRestart`.
    public func begin(
        _ wish: RestartWish, _ draft: BroadcastDraft, of record: ActivityRecord, _ lock: RestartLock,
        since mark: RestartMark? = nil, pages: [Int]? = nil
    ) async throws(StoreError) -> RestartResult {
        do throws(StoreError) {
            if let preparation = try await prepareRestart(wish, of: record, lock, since: mark, pages: pages) {
                guard !preparation.slots.isEmpty else {
                    await unlock(lock)
                    return .nobody(preparation.skipped)
                }
                var draft = draft
                draft.scope = .slots(preparation.slots)
                draft.restartLock = lock
                if wish.selection.isAskedFor { draft.skipped = preparation.skipped }
                if case .success(let order) = try await broadcasts.begin(draft, for: record) { return .begun(order) }
            }
        } catch {
            await unlock(lock)
            throw error
        }
        await unlock(lock)
        return .contended
    }

    /// Selects the devices of a restart and prepares them. Their present push-to-start tokens are stored as for the
    /// first start, and they are `registered` again. The caller then records the restart for these slots. Without a
    /// record they count as devices that a start has not reached.
    ///
    /// Reads the roster page by page; holds a page of devices and the list of slots.
    /// - Parameters:
    ///   - mark: the time of the request. A device in a later restart is skipped as active.
    ///   - pages: the pages to search; nil for all.
    /// - Returns: nil if the lock was lost.
    public func prepareRestart(
        _ wish: RestartWish, of record: ActivityRecord, _ lock: RestartLock, since mark: RestartMark? = nil,
        pages limited: [Int]? = nil
    ) async throws(StoreError) -> RestartPreparation? {
        let activity = record.activity
        var rules = RestartRules(
            wish: wish, now: wallClock(), startedAt: activity.startedAt ?? activity.createdAt,
            wasStartedWhole: record.wasStartedWhole)
        rules.order = wish.selection.isAskedFor ? record.order : nil
        let others = try await otherRestarts(since: mark, of: activity.id)
        var preparation = RestartPreparation()
        let targets: [(page: Int, indexes: [Int])]? =
            switch wish.selection {
            case .targets(let keys):
                SlotList.byPage(try await slots(of: keys, in: activity, &preparation.skipped))
            case .leftOut(let slots): SlotList.byPage(slots)
            default: nil
            }
        let pages = targets?.map(\.page) ?? limited ?? record.slots.pages
        var isHeld = try await prepare(pages, rules, others, record, lock, &preparation) { place in
            targets?[place].indexes ?? record.slots.indexes(inPage: pages[place]).flatMap { Array($0) }
        }
        let prepared = preparation.newOwners.isEmpty ? [] : Set(preparation.slots)
        let newOwners = preparation.newOwners.keys.filter { !prepared.contains($0) }.sorted()
        if isHeld, !newOwners.isEmpty {
            let places = SlotList.byPage(newOwners)
            isHeld = try await prepare(
                places.map(\.page), rules, others, record, lock, &preparation, areNewOwners: true
            ) { places[$0].indexes }
            preparation.slots.sort()
        }
        return isHeld ? preparation : nil
    }

    /// False when the lock was lost on the way.
    /// - Parameters:
    ///   - areNewOwners: True if the slots are those of `RestartPreparation.newOwners`.
    ///   - indexes: The slots of each page, by the place of the page.
    private func prepare(
        _ pages: [Int], _ rules: RestartRules, _ others: OtherRestarts, _ record: ActivityRecord, _ lock: RestartLock,
        _ preparation: inout RestartPreparation, areNewOwners: Bool = false, indexes: (Int) -> [Int]
    ) async throws(StoreError) -> Bool {
        let activity = record.activity
        for start in stride(from: 0, to: pages.count, by: StoredRestarts.restartPagesAtOnce) {
            guard try await lock.hold.renew() else { return false }
            let end = min(pages.count, start + StoredRestarts.restartPagesAtOnce)
            let statuses = try await self.pages(pages[start..<end].map { PageKey(.statuses, activity.id, $0) })
            for (place, statuses) in zip(start..<end, statuses) {
                let page = RestartPage(
                    page: pages[place], statuses: statuses, indexes: indexes(place), areNewOwners: areNewOwners)
                var rules = rules
                let kind = RosterGeometry.kind(ofPage: page.page)
                rules.followsChannel = record.channels[kind] != nil
                rules.hasLostChannel = record.lostChannels.contains(kind)
                guard try await prepare(page, rules, others, activity, lock, &preparation) else { return false }
                guard preparation.slots.count < RestartPreparation.maximumSlots else { return true }
            }
        }
        return true
    }

    private static let restartPagesAtOnce = 8
    static let restartUsersAtOnce = 200

    private struct RestartPage {
        let page: Int
        let statuses: [UInt8]
        /// The slots that belong to the segment, or to the list.
        let indexes: [Int]
        /// True if the slots are those of `RestartPreparation.newOwners`.
        let areNewOwners: Bool
    }

    /// A slot that is to be started on, as far as its user allows it.
    private struct Ready {
        let index: Int
        let slot: RestartRules.Slot
        /// The number of its starts, this one included.
        let number: Int
        let identity: IdentityRun.Entry
    }

    /// One whose user allows it: with the user's version as it was read, and the start cell.
    private struct Chosen {
        let ready: Ready
        let key: DeviceKey
        let version: [UInt8]
        let cell: [UInt8]

        /// The slot's arguments for the script that prepares a page.
        func arguments(_ rules: RestartRules, now: WallTime) -> [any RedisArgumentConvertible] {
            let slot = ready.slot
            let note = StartNote(number: ready.number, preparedAt: now, order: rules.order ?? slot.notedOrder)
            // A first start needs no record. After a start to a list, or a refused one, the record shows which devices
            // were being started.
            let isNoted = ready.number > 1 || !rules.wasStartedWhole || slot.status == DeliveryStatus.startFailed
            return [ready.index, [slot.status, slot.mark ?? 0], cell, isNoted ? note.text : ""]
        }
    }

    /// The slots of the devices that are in the segment, in ascending order; the other pairs are counted.
    func slots(
        of keys: [DeviceKey], in activity: Activity, _ skipped: inout SkipCounts
    ) async throws(StoreError) -> [UInt32] {
        let distinct = Array(Set(keys))
        var slots: Set<UInt32> = []
        for start in stride(from: 0, to: distinct.count, by: 1000) {
            let part = distinct[start..<min(distinct.count, start + 1000)]
            let replies = try await values(
                part.map { roster.slotLookup($0, in: activity.id, tenantID: activity.tenantID) })
            slots.formUnion(replies.compactMap(StoredRoster.slot))
        }
        skipped[.notInSegment] += distinct.count - slots.count
        return slots.sorted()
    }

    /// False if another caller may have the lock.
    private func prepare(
        _ page: RestartPage, _ rules: RestartRules, _ others: OtherRestarts, _ activity: Activity,
        _ lock: RestartLock, _ preparation: inout RestartPreparation
    ) async throws(StoreError) -> Bool {
        let candidates = page.indexes.filter {
            $0 < page.statuses.count && (page.areNewOwners || rules.reads(page.statuses[$0]))
        }
        if case .targets = rules.wish.selection {
            preparation.skipped[.notInSegment] += page.indexes.count - candidates.count
        }
        guard !candidates.isEmpty else { return true }
        let ready = try await decide(candidates, page, rules, others, activity, &preparation)
        let chosen = try await choose(ready, page, rules, activity, &preparation)
        guard !chosen.isEmpty else { return true }
        guard lock.hold.isHeld else { return false }
        try await write(chosen, page.page, rules, activity, lock, &preparation)
        return true
    }

    /// Goes by what the store has of the slots.
    private func decide(
        _ candidates: [Int], _ page: RestartPage, _ rules: RestartRules, _ others: OtherRestarts,
        _ activity: Activity, _ preparation: inout RestartPreparation
    ) async throws(StoreError) -> [Ready] {
        let identities = try await identities(page.page, of: activity.id)
        let slots = try await slots(candidates, ofPage: page.page, page.statuses, activity.id)
        var ready: [Ready] = []
        for (index, slot) in zip(candidates, slots) {
            var slot = slot
            let place = RosterGeometry.slot(page: page.page, index: index)
            if page.areNewOwners { slot.inheritedStart = preparation.newOwners[place] }
            switch rules.decide(slot) {
            case .notMeant: break
            case .skip(let reason): preparation.skipped[reason] += 1
            case .start where others.contains(place): preparation.skipped[.active] += 1
            case .start(let number):
                guard let identity = identities.identity(index) else {
                    preparation.skipped[.unknownUser] += 1
                    continue
                }
                ready.append(Ready(index: index, slot: slot, number: number, identity: identity))
            }
        }
        return ready
    }

    /// Reads what the store has of slots of a page whose delivery statuses were read.
    private func slots(
        _ indexes: [Int], ofPage page: Int, _ statuses: [UInt8], _ id: UniqueID
    ) async throws(StoreError) -> [RestartRules.Slot] {
        let partition = RosterGeometry.partition(ofPage: page)
        let numbers = indexes.map { "\(RosterGeometry.slot(page: page, index: $0))" }
        let read = try await pages([PageKey(.updateTokens, id, page), PageKey(.outcomes, id, page)])
        let (tokens, outcomes) = (TokenPage(read[0]), OutcomePage(read[1]))
        let hashes = [Keys.startCounts(id, partition), Keys.pendingEnds(id, partition)]
        let fields = try await values(hashes.map { RedisCommand("HMGET", arguments: [$0] + numbers) })
        let (noted, ends) = (fields[0].array ?? [], fields[1].array ?? [])
        return indexes.enumerated().map { place, index in
            var slot = RestartRules.Slot(status: statuses[index])
            slot.mark = if case .content = tokens.cell(index) { nil } else { tokens.mark(index) }
            slot.outcome = outcomes.outcome(index)
            if place < noted.count, let note = StartNote(noted[place].string) {
                slot.notedStarts = note.number
                slot.notedOrder = note.order
            }
            slot.hasPendingEnd = place < ends.count && ends[place].string != nil
            return slot
        }
    }

    /// Returns those of the slots, of other logins on the same phones, whose Live Activity the restart may ignore.
    private func ignored(
        _ slots: Set<UInt32>, _ rules: RestartRules, _ id: UniqueID
    ) async throws(StoreError) -> Set<UInt32> {
        var ignored: Set<UInt32> = []
        for (page, indexes) in SlotList.byPage(slots.sorted()) {
            let statuses = try await pages([PageKey(.statuses, id, page)])[0]
            let known = indexes.filter { $0 < statuses.count }
            guard !known.isEmpty else { continue }
            for (index, slot) in zip(known, try await self.slots(known, ofPage: page, statuses, id))
            where rules.ignores(slot) {
                ignored.insert(RosterGeometry.slot(page: page, index: index))
            }
        }
        return ignored
    }

    /// Goes by what the users have to say, some at a time, since a user's hash may be long.
    private func choose(
        _ ready: [Ready], _ page: RestartPage, _ rules: RestartRules, _ activity: Activity,
        _ preparation: inout RestartPreparation
    ) async throws(StoreError) -> [Chosen] {
        var chosen: [Chosen] = []
        chosen.reserveCapacity(ready.count)
        for start in stride(from: 0, to: ready.count, by: StoredRestarts.restartUsersAtOnce) {
            let part = ready[start..<min(ready.count, start + StoredRestarts.restartUsersAtOnce)]
            let names = Array(Set(part.map(\.identity.insiderID)))
            let records = try await devices.users(names, tenantID: activity.tenantID)
            let shown = try await devices.handOvers.shown(records, in: activity.id)
            let ignored = try await ignored(Set(shown.flatMap { $0.values.joined() }), rules, activity.id)
            let users = Dictionary(uniqueKeysWithValues: zip(names, zip(records, shown)))
            var moved: [MovedToken] = []
            for ready in part {
                let slot = RosterGeometry.slot(page: page.page, index: ready.index)
                guard let (record, shown) = users[ready.identity.insiderID], let user = record else {
                    preparation.skipped[.unknownUser] += 1
                    continue
                }
                guard shown[ready.identity.device]?.allSatisfy(ignored.contains) ?? true else {
                    preparation.skipped[.active] += 1
                    continue
                }
                switch user.restartCell(ready.identity.device, slot, activity) {
                case .failure(let refusal):
                    if let token = refusal.elsewhere, rules.startsNewOwners, !page.areNewOwners {
                        moved.append(MovedToken(token: token, number: ready.number, lack: refusal.reason))
                    } else {
                        preparation.skipped[refusal.reason] += 1
                    }
                case .success(let (udid, cell)):
                    let key = DeviceKey(insiderID: ready.identity.insiderID, udid: udid)
                    chosen.append(Chosen(ready: ready, key: key, version: user.version, cell: cell))
                }
            }
            try await findNewOwners(of: moved, in: activity, &preparation)
        }
        return chosen
    }

    private func write(
        _ chosen: [Chosen], _ page: Int, _ rules: RestartRules, _ activity: Activity, _ lock: RestartLock,
        _ preparation: inout RestartPreparation
    ) async throws(StoreError) {
        let now = wallClock()
        let slots = chosen.flatMap { $0.arguments(rules, now: now) }
        let id = activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let letters = try await run(
            Scripts.prepareRestart(
                startPage: Keys.startPage(id, page), statusPage: Keys.statusPage(id, page),
                updatePage: Keys.updatePage(id, page), counters: Keys.counters(id, partition),
                pendingEnds: Keys.pendingEnds(id, partition), startCounts: Keys.startCounts(id, partition),
                expiresAt: activity.keptUntil.milliseconds, broadcast: lock.token,
                firstSlot: Int(RosterGeometry.slot(page: page, index: 0)), pastEnds: rules.letsEndedIn ? "1" : "",
                leftCell: [0, rules.markLeft], slots: slots))
        // A user who changes from here on finds the page. Changes since it was read are handled here.
        let versions = try await values(
            chosen.map { RedisCommand("HGET", Keys.user(activity.tenantID, $0.key.insiderID), "v") })
        for ((chosen, letter), version) in zip(zip(chosen, letters), versions) {
            switch letter {
            case UInt8(ascii: "1"):
                preparation.slots.append(RosterGeometry.slot(page: page, index: chosen.ready.index))
            case UInt8(ascii: "a"): preparation.skipped[.active] += 1
            case UInt8(ascii: "e"): preparation.skipped[.ended] += 1
            default: break
            }
            guard (version.bytes ?? []) != chosen.version,
                let fresh = try await devices.user(chosen.key.insiderID, tenantID: activity.tenantID)
            else { continue }
            try await devices.carryChange(of: chosen.key, fresh, tenantID: activity.tenantID)
        }
    }
}

extension RestartWish.Selection {
    /// True if a client asks for the restart. The gateway restarts devices itself that it heals or has left out.
    fileprivate var isAskedFor: Bool {
        switch self {
        case .leftOut, .healing: false
        case .unsent, .failed, .unknown, .notSynced, .targets: true
        }
    }
}

extension RestartRules {
    /// True if devices whose Live Activity has ended, or is to be ended, may be started.
    var letsEndedIn: Bool {
        if case .targets = wish.selection { true } else { false }
    }

    /// The mark that replaces an update token.
    var markLeft: UInt8 {
        if case .healing = wish.selection { TokenPage.healingMark } else { 0 }
    }
}

/// The reason why a device cannot be started again.
private struct RestartRefusal: Error {
    let reason: SkipReason
    /// The device's token, if it is the only hindrance that another device has the token now.
    var elsewhere: [UInt8]?
}

extension UserRecord {
    /// The udid and the start cell of a device that is to be started on again. A token that the provider has refused
    /// as invalid is missing in the user's hash, or marked there, unless it was reported since.
    fileprivate func restartCell(
        _ number: UInt32, _ slot: UInt32, _ activity: Activity
    ) -> Result<(udid: String, cell: [UInt8]), RestartRefusal> {
        guard let udid = udid(ofDevice: number) else { return .failure(RestartRefusal(reason: .noDevice)) }
        // The device may have left the activity, or have been given another place in it.
        guard membership(in: activity.id)?.slot(device: number) == slot else {
            return .failure(RestartRefusal(reason: .notInSegment))
        }
        let cell = startCell(udid, activity.type, slot: slot)
        if cell[0] == 0 {
            var refusal = RestartRefusal(reason: SkipReason(rawValue: cell[1]) ?? .noPushToStartToken)
            if let device = device(udid), refusal.reason == device.device.lacksToken {
                refusal.elsewhere = elsewhereToken(device, type: activity.type).map { Array($0.token) }
            }
            return .failure(refusal)
        }
        return .success((udid, cell))
    }
}
