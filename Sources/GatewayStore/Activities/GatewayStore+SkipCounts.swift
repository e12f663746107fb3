public import LiveActivity
import RedisClient

extension GatewayStore {
    /// Why each device of the segment would be passed over now. Reads the whole roster; for refusals.
    public func skipCounts(
        _ kind: TokenKind, in record: ActivityRecord
    ) async throws(StoreError) -> SkipCounts {
        let id = record.activity.id
        var counts = SkipCounts()
        for page in record.slots.pages {
            let replies = try await values([
                RedisCommand("GET", kind.page(id, page)), RedisCommand("GET", Keys.fatePage(id, page)),
            ])
            let tokens = TokenPage(replies[0].bytes ?? [])
            let fates = replies[1].bytes ?? []
            for index in record.slots.indexes(inPage: page).joined() where index < fates.count {
                guard Fate.isMember(fates[index]) else { continue }
                if Fate.endReason(fates[index]) != nil {
                    counts[.ended] += 1
                } else if case .none(let reason) = tokens.cell(index) {
                    counts[kind.reason(reason, fate: fates[index])] += 1
                }
            }
        }
        return counts
    }
}
