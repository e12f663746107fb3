import LiveActivity
import RedisClient
import RosterCore

/// Writes eligible devices into their slots of a roster, and makes their users members.
struct RosterWriter {
    let activity: UniqueID
    /// The expiry in epoch milliseconds.
    let expiresAt: Int64
    /// The users of the draft join with all of their entries after the pages are written. It may have entries of other
    /// users.
    let draft: RosterDraft
    /// The indexes of the entries to write, by the page of their slots. Slots of a page are consecutive.
    let pages: [(page: Int, entries: ArraySlice<Int>)]

    /// - Parameter entries: The indexes of the entries to write; nil for all.
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

    /// Returns the commands that write the pages of an activity that is not visible yet. No other call writes to them.
    /// Each begins with its first slot.
    func freshPages() -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var counted: [Int: FreshCounters] = [:]
        for (page, entries) in pages {
            var counters = counted[RosterGeometry.partition(ofPage: page)] ?? FreshCounters()
            func put(_ content: PageKey.Content, _ bytes: [UInt8]) {
                let key = PageKey(content, activity, page)
                if bytes.count <= PageKey.longestField {
                    counters.pages += [Array(key.field.utf8), bytes]
                } else {
                    commands.append(RedisCommand("SET", key.key, bytes, "PXAT", expiresAt))
                }
            }
            put(.startTokens, cells(entries))
            put(.statuses, [UInt8](repeating: DeliveryStatus.registered, count: entries.count))
            let (first, run) = (firstIndex(entries), run(entries))
            if let short = ShortIdentities.encode(first: first, run) {
                put(.identities, short)
            } else {
                let key = Keys.identityPage(activity, page)
                commands.append(RedisCommand("HSET", key, first, run))
                commands.append(RedisCommand("PEXPIREAT", key, expiresAt))
            }
            counters.startable += entries.count { !draft.entries[$0].token.isEmpty }
            counted[RosterGeometry.partition(ofPage: page)] = counters
        }
        for (partition, counters) in counted {
            let key = Keys.counters(activity, partition)
            if !counters.pages.isEmpty {
                commands.append(RedisCommand("HSET", arguments: [Array(key.utf8)] + counters.pages))
            }
            commands.append(RedisCommand("HINCRBY", key, "startable", counters.startable))
            commands.append(RedisCommand("PEXPIREAT", key, expiresAt))
        }
        return commands
    }

    /// The new fields of the counters of a partition.
    private struct FreshCounters {
        /// The fields and values of short pages.
        var pages: [[UInt8]] = []
        var startable = 0
    }

    /// Returns the commands that write cells in pages that other calls may be writing to.
    func addedCells() -> [RedisCommand] {
        pages.map { page, entries in
            let cells = cells(entries)
            return Scripts.addStartCells(
                startPage: Keys.startPage(activity, page), statusPage: Keys.statusPage(activity, page),
                identities: Keys.identityPage(activity, page),
                counters: Keys.counters(activity, RosterGeometry.partition(ofPage: page)), first: firstIndex(entries),
                width: Int(cells[0]), cells: Array(cells[1...]), status: [DeliveryStatus.registered],
                run: run(entries), expiresAt: expiresAt
            ).command
        }
    }

    /// Two commands for each user of the draft: the first one writes the membership, the second one reads the user's
    /// version. If the version is still the one that was read, the slots are up to date. Any later change finds the
    /// membership.
    /// - Parameters:
    ///   - users: A range of the draft's users.
    ///   - comparing: True to write a membership only if the one that was read is unchanged. The first reply is then 1.
    /// - Returns: A function that makes the command at an index.
    func joins(
        _ users: Range<Int>, tenantID: String, expiresAt membershipExpiry: Membership, comparing: Bool = false
    ) -> @Sendable (Int) -> RedisCommand {
        let field = UserRecord.membershipField(activity)
        return { [draft, activity] place in
            // Indexing avoids copies of the draft, whose reference counts would cost more than the command.
            let number = users.lowerBound + place / 2
            let key = Keys.encodedUser(tenantID, draft.users[number].insiderID)
            guard place % 2 == 0 else {
                var read = RedisCommandBuilder(copying: RosterWriter.readHead, byteCountHint: key.count + 24)
                read.append(key)
                read.append(RosterWriter.versionField)
                return (consume read).finish()
            }
            let present = draft.users[number].record.membership(in: activity)
            var membership = present ?? membershipExpiry
            for index in draft.users[number].entries {
                membership.add(device: draft.entries[index].device, slot: draft.entries[index].slot)
            }
            let bytes = membership.bytes
            guard !comparing else {
                return Scripts.joinUser(
                    user: String(decoding: key, as: UTF8.self), field: field, expected: present?.bytes ?? [],
                    value: bytes
                ).command
            }
            var write = RedisCommandBuilder(
                copying: RosterWriter.writeHead, byteCountHint: key.count + field.count + bytes.count + 24)
            write.append(key)
            write.append(field)
            write.append(bytes)
            return (consume write).finish()
        }
    }

    // The common beginnings of these commands.
    private static let writeHead = RedisCommandBuilder("HSET")
    private static let readHead = RedisCommandBuilder("HGET")
    private static let versionField = [UInt8(ascii: "v")]

    /// The result of `joins` for a user.
    enum Join: Sendable {
        /// The membership is written.
        case written
        /// The membership has changed since it was read, and stays.
        case refused
        /// The user has not changed since it was read.
        case asRead
        case changed
        /// The user is erased.
        case gone
    }

    /// Decodes the replies to `joins` of users from the given one on.
    func readJoin(from first: Int, comparing: Bool) -> @Sendable (Int, RedisReplyView) -> Join {
        { [draft] place, reply in
            if place % 2 == 0 { return comparing && reply.integer != 1 ? .refused : .written }
            let version = reply.bytes
            if version.elementsEqual(draft.users[first + place / 2].record.version) { return .asRead }
            return version.isEmpty ? .gone : .changed
        }
    }

    private func cells(_ entries: ArraySlice<Int>) -> [UInt8] {
        TokenPage.encode(count: entries.count) { draft.entries[entries[entries.startIndex + $0]].content }
    }

    private func firstIndex(_ entries: ArraySlice<Int>) -> Int {
        entries.first.map { RosterGeometry.index(ofSlot: draft.entries[$0].slot) } ?? 0
    }

    /// The identities of the entries.
    private func run(_ entries: ArraySlice<Int>) -> [UInt8] {
        var run = IdentityRun()
        for index in entries {
            run.append(insiderID: draft.entries[index].key.insiderID, device: draft.entries[index].device)
        }
        return run.bytes
    }
}
