import LiveActivity
import RedisClient

/// Writes the eligible devices of a draft into consecutive slots of a roster.
struct RosterWriter {
    let activity: UniqueID
    let expiresAt: Int64
    let draft: RosterDraft
    let firstSlot: UInt32
    /// How many of the first entries have been written before.
    var written = 0

    /// Pages that nobody else writes to: the roster of an activity that is not visible yet. The first entry that has not
    /// been written is the first of its page.
    func freshPages() -> [RedisCommand] {
        pages().flatMap { page, entries -> [RedisCommand] in
            let cells = TokenPage.encode(entries.map(\.cell))
            let fates = [UInt8](repeating: Fate.registered, count: entries.count)
            return [
                RedisCommand("SET", Keys.startPage(activity, page), cells, "PXAT", expiresAt),
                RedisCommand("SET", Keys.fatePage(activity, page), fates, "PXAT", expiresAt),
            ] + identities(page, firstIndex: 0, entries)
        } + counters()
    }

    /// Cells in pages that others may be writing to as well.
    func addedCells() -> [RedisCommand] {
        pages().flatMap { page, entries -> [RedisCommand] in
            let firstIndex =
                page == RosterGeometry.page(ofSlot: firstSlot) ? RosterGeometry.index(ofSlot: firstSlot) : 0
            let partition = RosterGeometry.partition(ofPage: page)
            let keys = [
                Keys.startPage(activity, page), Keys.fatePage(activity, page), Keys.counters(activity, partition),
            ]
            let cells = TokenPage.encode(entries.map(\.cell))
            let add = RedisCommand(
                script: Scripts.addStartCells, keys: keys,
                arguments: [firstIndex, Int(cells[0]), Array(cells[1...]), [Fate.registered], expiresAt])
            return [add] + identities(page, firstIndex: firstIndex, entries)
        }
    }

    /// For each user of the draft two commands: the first makes him a member, the second gives his version afterwards. When
    /// that is the one that was read, the slots are filled from what is true; and who changes from here on finds the
    /// membership.
    func joins(tenantID: String, expiresAt membershipExpiry: Membership) -> [RedisCommand] {
        let field = UserRecord.membershipField(activity)
        return draft.users.flatMap { user in
            var membership = user.record.membership(in: activity) ?? membershipExpiry
            for index in user.entries {
                membership.add(device: draft.entries[index].device, slot: firstSlot + UInt32(index))
            }
            let key = Keys.user(tenantID, user.insiderID)
            return [RedisCommand("HSET", key, field, membership.bytes), RedisCommand("HGET", key, "v")]
        }
    }

    private func identities(_ page: Int, firstIndex: Int, _ entries: ArraySlice<RosterDraft.Entry>) -> [RedisCommand] {
        var run = IdentityRun()
        for entry in entries { run.append(insiderID: entry.key.insiderID, device: entry.device) }
        return [
            RedisCommand("HSET", Keys.identityPage(activity, page), firstIndex, run.bytes),
            RedisCommand("PEXPIREAT", Keys.identityPage(activity, page), expiresAt),
        ]
    }

    private func counters() -> [RedisCommand] {
        var startable: [Int: Int] = [:]
        for (page, entries) in pages() {
            startable[RosterGeometry.partition(ofPage: page), default: 0] += entries.count { !$0.token.isEmpty }
        }
        return startable.flatMap { partition, count in
            let key = Keys.counters(activity, partition)
            return [RedisCommand("HINCRBY", key, "startable", count), RedisCommand("PEXPIREAT", key, expiresAt)]
        }
    }

    /// The entries by the page of their slots.
    private func pages() -> [(page: Int, entries: ArraySlice<RosterDraft.Entry>)] {
        var pages: [(page: Int, entries: ArraySlice<RosterDraft.Entry>)] = []
        var index = written
        while index < draft.entries.count {
            let slot = firstSlot + UInt32(index)
            let room = RosterGeometry.slotsPerPage - RosterGeometry.index(ofSlot: slot)
            let end = min(draft.entries.count, index + room)
            pages.append((RosterGeometry.page(ofSlot: slot), draft.entries[index..<end]))
            index = end
        }
        return pages
    }
}
