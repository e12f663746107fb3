import RedisClient

/// A tenant's quota that has just become nearly or fully used.
public struct QuotaCrossing: Equatable, Sendable {
    /// The limit that the use approaches or reaches.
    public let limit: TenantLimits.Limit
    /// True if the quota is used up; false if at least 80 % is used.
    public let isReached: Bool
    /// The use at the time of the crossing.
    public let used: Int
    /// The limit's value.
    public let value: Int

    /// Parses the scripts' replies: name, level, use and limit of each crossing.
    static func all(_ parts: ArraySlice<RedisValue>) -> [QuotaCrossing] {
        stride(from: parts.startIndex, to: parts.endIndex - parts.count % 4, by: 4).compactMap { index in
            guard let limit = TenantLimits.Limit(name: parts[index].string ?? "") else { return nil }
            return QuotaCrossing(
                limit: limit, isReached: parts[index + 1].int == 2, used: Int(parts[index + 2].int ?? 0),
                value: Int(parts[index + 3].int ?? 0))
        }
    }
}
