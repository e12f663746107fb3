import Delivery
import LiveActivity
import TimeCore

/// Groups a stream of eligible devices into pages that are written whole. Holds the devices of one unfinished page of
/// each band, all those of their users, and the latest additions.
struct RosterStream {
    private let activity: UniqueID
    private let type: String
    /// The expiry in epoch milliseconds.
    private let expiresAt: Int64
    private(set) var report = RegistrationReport()
    /// The slots given out so far.
    private(set) var bands = BandSizes()
    private var pending: RosterDraft
    /// The slots in pages that `next` has returned.
    private var written = BandSizes()

    /// - Parameters:
    ///   - served: The kinds of route that the app can push to; nil for all.
    ///   - follows: True if devices that can follow a channel are to follow one.
    init(_ activity: Activity, served: Set<RouteKind>?, follows: Bool = false) {
        pending = RosterDraft(served: served, follows: follows)
        self.activity = activity.id
        type = activity.type
        expiresAt = activity.keptUntil.milliseconds
    }

    /// - Returns: The users without a slot.
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

    /// Returns the full pages to write, with the last call also the unfinished ones; nil if there are none. The users
    /// of the writer's draft may join once these pages are written. A user joins with all devices, after the last of
    /// them is written.
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
