public import LiveActivity
import RedisClient
import RosterCore

extension StoredRoster {
    /// The numbers of devices of the segment that can receive a push. If there are none, also why not, by reason. Reads
    /// the whole roster then.
    public func reachOrSkips(
        _ kind: TokenKind, in record: ActivityRecord
    ) async throws(StoreError) -> (reach: Reach, skipped: SkipCounts) {
        let reach = try await reach(kind, in: record)
        guard reach == Reach() else { return (reach, SkipCounts()) }
        let skipped = try await skipCounts(kind, in: record)
        // A device that reported between the two reads is in neither.
        return (try await self.reach(kind, in: record), skipped)
    }

    /// Counts by reason the devices of the segment that a broadcast would skip now. Reads the whole roster.
    func skipCounts(
        _ kind: TokenKind, in record: ActivityRecord
    ) async throws(StoreError) -> SkipCounts {
        let id = record.activity.id
        var counts = SkipCounts()
        let pages = record.slots.pages
        for start in stride(from: 0, to: pages.count, by: StoredRoster.pagesAtOnce) {
            let part = pages[start..<min(pages.count, start + StoredRoster.pagesAtOnce)]
            let read = try await self.pages(
                part.flatMap { [PageKey(kind.content, id, $0), PageKey(.statuses, id, $0)] })
            for (number, page) in part.enumerated() {
                let tokens = TokenPage(read[2 * number])
                let statuses = read[2 * number + 1]
                for index in record.slots.indexes(inPage: page).joined() where index < statuses.count {
                    guard DeliveryStatus.isMember(statuses[index]) else { continue }
                    if DeliveryStatus.endReason(statuses[index]) != nil {
                        counts[.ended] += 1
                    } else if case .none(let reason) = tokens.cell(index) {
                        counts[kind.reason(reason, status: statuses[index])] += 1
                    }
                }
            }
        }
        return counts
    }

    /// The most pages held at a time, which take about half a megabyte.
    private static let pagesAtOnce = 16
}
