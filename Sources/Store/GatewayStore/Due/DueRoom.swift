public import TimeCore

/// What of a shard's due queue a look may take.
public struct DueRoom: Equatable, Sendable {
    /// How many items.
    public var items: Int
    /// How many erasures of one tenant among them.
    public var erasuresOfTenant: Int
    /// Whose erasures are passed over.
    public var fullTenants: [String]
    /// When many erasures were passed over, for how long they are left alone, so that what is behind them is seen.
    public var pause: TimeInterval

    public init(items: Int, erasuresOfTenant: Int, fullTenants: [String] = [], pause: TimeInterval) {
        self.items = items
        self.erasuresOfTenant = erasuresOfTenant
        self.fullTenants = fullTenants
        self.pause = pause
    }

    /// For nothing.
    public static let none = DueRoom(items: 0, erasuresOfTenant: 0, pause: .zero)
}
