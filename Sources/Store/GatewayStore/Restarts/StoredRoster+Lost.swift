import LiveActivity
import RosterCore
import TimeCore

extension StoredRoster {
    /// The call that searches pages of one partition for devices that are to be started again, by `SlotStep.next`. It
    /// finds a follower's dead token at once.
    /// - Parameters:
    ///   - evidence: `search` or `follower`.
    ///   - most: The most starts of a device that a search finds.
    func findLost(
        _ pages: [Int], for evidence: SlotEvidence, in record: ActivityRecord, most: Int = 0
    ) -> ScriptCall<[Int]> {
        let isSearch = evidence == .search
        let activity = record.activity
        let partition = RosterGeometry.partition(ofPage: pages.first ?? 0)
        // Devices that follow a channel need not report.
        let mayBeSilent = record.channels[RosterGeometry.kind(ofPartition: partition)] != nil
        let now = wallClock().seconds
        func latest(_ age: Int64?) -> String { age.map { "\(now - $0)" } ?? "" }
        return Scripts.findLost(
            startCounts: Keys.startCounts(activity.id, partition),
            pendingEnds: Keys.pendingEnds(activity.id, partition),
            pages: pages.flatMap {
                [Keys.statusPage(activity.id, $0), Keys.updatePage(activity.id, $0), Keys.outcomePage(activity.id, $0)]
            },
            evidence: isSearch ? "search" : "follower",
            doubtful: latest(isSearch && !mayBeSilent ? SlotStep.doubt : nil),
            lost: latest(isSearch ? SlotStep.grace : nil),
            startedAt: (activity.startedAt ?? activity.createdAt).seconds, most: most,
            firstSlots: pages.map { Int(RosterGeometry.slot(page: $0, index: 0)) })
    }
}
