import LiveActivity
import TimeCore

/// Cuts any number of eligible devices, which come some at a time, into pages that are written whole. Holds the devices
/// of one unfinished page and what was just added.
struct RosterStream {
    private let activity: UniqueID
    private let type: String
    /// Epoch milliseconds.
    private let expiresAt: Int64
    private(set) var report = RegistrationReport()
    private var pending = RosterDraft()
    /// The slot of the first pending entry.
    private var firstSlot: UInt32 = 0
    /// How many of the first pending entries are in pages that have been taken.
    private var written = 0

    init(_ activity: Activity) {
        self.activity = activity.id
        type = activity.type
        expiresAt = activity.keptUntil.milliseconds
    }

    mutating func add(_ insiderIDs: [String], _ records: [UserRecord?]) {
        pending.report = RegistrationReport()
        for (insiderID, record) in zip(insiderIDs, records) { pending.add(insiderID, record, type: type) }
        report.add(pending.report)
    }

    /// What is to be written now: the pages that are full, and with the last call the one that is not. Nil when there is
    /// nothing. Once they are written the users in the draft can join.
    mutating func next(isLast: Bool) -> RosterWriter? {
        let end = Int(firstSlot) + pending.entries.count
        let cut = isLast ? end : end - end % RosterGeometry.slotsPerPage
        let count = cut - Int(firstSlot)
        guard count > written else { return nil }
        let (draft, stayed) = pending.removeFirst(count)
        let writer = RosterWriter(
            activity: activity, expiresAt: expiresAt, draft: draft, firstSlot: firstSlot, written: written)
        firstSlot += UInt32(count - stayed)
        written = stayed
        return writer
    }
}
