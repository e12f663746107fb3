import RedisClient

/// A quota of a tenant is nearly used up, or wholly, and was not before.
public struct QuotaCrossing: Equatable, Sendable {
    /// Which one.
    public let limit: TenantLimits.Limit
    /// Wholly; else four fifths.
    public let isReached: Bool
    /// How much was used when that was seen.
    public let used: Int
    /// How much there is.
    public let value: Int

    /// As the scripts tell them: name, level, what is used, the limit.
    static func all(_ parts: ArraySlice<RedisValue>) -> [QuotaCrossing] {
        stride(from: parts.startIndex, to: parts.endIndex - parts.count % 4, by: 4).compactMap { index in
            guard let limit = TenantLimits.Limit(name: parts[index].string ?? "") else { return nil }
            return QuotaCrossing(
                limit: limit, isReached: parts[index + 1].int == 2, used: Int(parts[index + 2].int ?? 0),
                value: Int(parts[index + 3].int ?? 0))
        }
    }
}
