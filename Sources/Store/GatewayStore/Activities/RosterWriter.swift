import LiveActivity
import RedisClient

/// Writes eligible devices into their slots of a roster, and makes their users members.
struct RosterWriter {
    let activity: UniqueID
    /// Epoch milliseconds.
    let expiresAt: Int64
    /// The users join with all of their entries, when what is to be written is written. There may be entries of others.
    let draft: RosterDraft
    /// The indexes of the entries that are to be written, by the page of their slots. Slots of a page are consecutive.
    let pages: [(page: Int, entries: ArraySlice<Int>)]

    /// - Parameter entries: the indexes of those that are to be written; nil for all.
    init(activity: UniqueID, expiresAt: Int64, draft: RosterDraft, _ entries: [Int]? = nil) {
        self.activity = activity
        self.expiresAt = expiresAt
        self.draft = draft
        let ordered = (entries ?? Array(draft.entries.indices)).sorted {
            draft.entries[$0].slot < draft.entries[$1].slot
        }
        var pages: [(page: Int, entries: ArraySlice<Int>)] = []
        var start = 0
        while start < ordered.count {
            let page = RosterGeometry.page(ofSlot: draft.entries[ordered[start]].slot)
            let end =
                ordered[start...].firstIndex { RosterGeometry.page(ofSlot: draft.entries[$0].slot) != page }
                ?? ordered.count
            pages.append((page, ordered[start..<end]))
            start = end
        }
        self.pages = pages
    }

    /// Pages that nobody else writes to: the roster of an activity that is not visible yet. Each begins with its first slot.
    func freshPages() -> [RedisCommand] {
        pages.flatMap { page, entries -> [RedisCommand] in
            let statuses = [UInt8](repeating: DeliveryStatus.registered, count: entries.count)
            return [
                RedisCommand("SET", Keys.startPage(activity, page), cells(entries), "PXAT", expiresAt),
                RedisCommand("SET", Keys.statusPage(activity, page), statuses, "PXAT", expiresAt),
            ] + identities(page, entries)
        } + counters()
    }

    /// Cells in pages that others may be writing to as well.
    func addedCells() -> [RedisCommand] {
        pages.flatMap { page, entries -> [RedisCommand] in
            let partition = RosterGeometry.partition(ofPage: page)
            let keys = [
                Keys.startPage(activity, page), Keys.statusPage(activity, page), Keys.counters(activity, partition),
            ]
            let cells = cells(entries)
            let add = RedisCommand(
                script: Scripts.addStartCells, keys: keys,
                arguments: [
                    firstIndex(entries), Int(cells[0]), Array(cells[1...]), [DeliveryStatus.registered], expiresAt,
                ])
            return [add] + identities(page, entries)
        }
    }

    /// For each user of the draft two commands: the first makes it a member, the second gives its version afterwards.
    /// When that is the one that was read, the slots are filled from what is true; and who changes from here on finds the
    /// membership.
    /// - Parameter comparing: whether a membership is written only where the one that was read is still there; the first
    ///   reply is 1 then.
    func joins(
        tenantID: String, expiresAt membershipExpiry: Membership, comparing: Bool = false
    ) -> [RedisCommand] {
        let field = UserRecord.membershipField(activity)
        return draft.users.flatMap { user in
            let present = user.record.membership(in: activity)
            var membership = present ?? membershipExpiry
            for entry in draft.entries[user.entries] { membership.add(device: entry.device, slot: entry.slot) }
            let key = Keys.user(tenantID, user.insiderID)
            let join =
                comparing
                ? RedisCommand(
                    script: Scripts.joinUser, keys: [key], arguments: [field, present?.bytes ?? [], membership.bytes])
                : RedisCommand("HSET", key, field, membership.bytes)
            return [join, RedisCommand("HGET", key, "v")]
        }
    }

    private func cells(_ entries: ArraySlice<Int>) -> [UInt8] {
        TokenPage.encode(entries.map { draft.entries[$0].cell })
    }

    private func firstIndex(_ entries: ArraySlice<Int>) -> Int {
        entries.first.map { RosterGeometry.index(ofSlot: draft.entries[$0].slot) } ?? 0
    }

    private func identities(_ page: Int, _ entries: ArraySlice<Int>) -> [RedisCommand] {
        var run = IdentityRun()
        for index in entries {
            let entry = draft.entries[index]
            run.append(insiderID: entry.key.insiderID, device: entry.device)
        }
        return [
            RedisCommand("HSET", Keys.identityPage(activity, page), firstIndex(entries), run.bytes),
            RedisCommand("PEXPIREAT", Keys.identityPage(activity, page), expiresAt),
        ]
    }

    private func counters() -> [RedisCommand] {
        var startable: [Int: Int] = [:]
        for (page, entries) in pages {
            startable[RosterGeometry.partition(ofPage: page), default: 0] +=
                entries.count { !draft.entries[$0].token.isEmpty }
        }
        return startable.flatMap { partition, count in
            let key = Keys.counters(activity, partition)
            return [RedisCommand("HINCRBY", key, "startable", count), RedisCommand("PEXPIREAT", key, expiresAt)]
        }
    }
}
