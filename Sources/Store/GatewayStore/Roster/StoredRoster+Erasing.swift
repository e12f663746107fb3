import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// Erases tokens and names in slots of devices that are no longer known.
extension StoredRoster {
    /// The number of times that a run of identities is written while others change it.
    private static let identityAttempts = 16

    /// Returns the number of these slots that belong to the segment.
    func members(_ slots: [UInt32], in activity: Activity) async throws(StoreError) -> Int {
        let pages = SlotList.byPage(slots.sorted())
        let cells = try await cells(pages.map { readCells($0.page, $0.indexes, .update, activity.id) })
        return cells.joined().count { DeliveryStatus.isMember($0.status) }
    }

    /// Removes the tokens and the identities of slots.
    func erase(_ slots: [UInt32], in activity: Activity) async throws(StoreError) {
        if activity.state == .registered {
            // A registered activity has no update tokens, and needs no page for them.
            let cell = TokenPage.cell(reason: .notInSegment)
            _ = try await values(
                slots.map { putStartCell(activity, slot: $0, cell, status: DeliveryStatus.removed) })
        } else {
            try await vacate(slots, in: activity)
        }
        for page in SlotList.byPage(slots.sorted()) {
            try await forgetNames(page.indexes, inPage: page.page, of: activity)
        }
    }

    private func forgetNames(
        _ indexes: [Int], inPage page: Int, of activity: Activity
    ) async throws(StoreError) {
        let key = Keys.identityPage(activity.id, page)
        for _ in 0..<StoredRoster.identityAttempts {
            var isDone = true
            for (name, run) in try await identityRuns([page], of: activity.id)[0] {
                guard let first = Int(String(decoding: name, as: UTF8.self)) else { continue }
                let entries = IdentityRun.decode(run)
                let places = indexes.map { $0 - first }.filter {
                    entries.indices.contains($0) && entries[$0].insiderID != IdentityRun.nobody
                }
                guard !places.isEmpty, let erased = IdentityRun.erasing(places, in: run) else { continue }
                let isReplaced = try await self.run(
                    Scripts.replaceIdentities(
                        identities: key, first: name, expected: run, run: erased,
                        expiresAt: activity.keptUntil.milliseconds))
                if !isReplaced { isDone = false }
            }
            if isDone { return }
        }
        throw .unavailable("the places of an activity change all the time")
    }
}
