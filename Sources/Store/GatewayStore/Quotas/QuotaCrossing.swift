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
    static func all(_ texts: [String]) -> [QuotaCrossing] {
        stride(from: 0, to: texts.count - texts.count % 4, by: 4).compactMap { index in
            guard let limit = TenantLimits.Limit(name: texts[index]), let used = Int(texts[index + 2]),
                let value = Int(texts[index + 3])
            else { return nil }
            return QuotaCrossing(limit: limit, isReached: texts[index + 1] == "2", used: used, value: value)
        }
    }
}
