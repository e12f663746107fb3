import Delivery
import LiveActivity
import TimeCore

/// Cuts any number of eligible devices, which come some at a time, into pages that are written whole. Holds the devices
/// of an unfinished page of each band, all those of their users, and what was just added.
struct RosterStream {
    private let activity: UniqueID
    private let type: String
    /// Epoch milliseconds.
    private let expiresAt: Int64
    private(set) var report = RegistrationReport()
    /// The slots that have been given out.
    private(set) var bands = BandSizes()
    private var pending: RosterDraft
    /// The slots in pages that have been taken.
    private var written = BandSizes()

    /// - Parameters:
    ///   - served: the kinds of route by which the app reaches anybody; nil for all.
    ///   - follows: whether devices that can are to follow a channel.
    init(_ activity: Activity, served: Set<RouteKind>?, follows: Bool = false) {
        pending = RosterDraft(served: served, follows: follows)
        self.activity = activity.id
        type = activity.type
        expiresAt = activity.keptUntil.milliseconds
    }

    /// - Returns: the users who have got no place.
    @discardableResult
    mutating func add(_ insiderIDs: [String], _ records: [UserRecord?]) -> [String] {
        pending.report = RegistrationReport()
        let first = pending.entries.count
        var placeless: [String] = []
        for (insiderID, record) in zip(insiderIDs, records) {
            let before = pending.entries.count
            pending.add(insiderID, record, type: type)
            if pending.entries.count == before { placeless.append(insiderID) }
        }
        pending.place(from: first, &bands)
        report.add(pending.report)
        return placeless
    }

    /// What is to be written now: the pages that are full, and with the last call those that are not. Nil when there is
    /// nothing. Once they are written the users in the draft can join: each comes with all of its devices, in the call
    /// that writes the last of them.
    mutating func next(isLast: Bool) -> RosterWriter? {
        let reached = isLast ? bands : bands.wholePages
        let unwritten = pending.entries.indices.filter {
            let slot = pending.entries[$0].slot
            return reached.contains(slot) && !written.contains(slot)
        }
        guard !unwritten.isEmpty else { return nil }
        let draft = pending.takeUsers { $0.allSatisfy { reached.contains($0.slot) } }
        written = reached
        return RosterWriter(activity: activity, expiresAt: expiresAt, draft: draft, unwritten)
    }
}
