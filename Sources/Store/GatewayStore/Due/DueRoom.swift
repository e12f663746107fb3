/// The number and kind of due items that one poll of a shard may take.
public struct DueRoom: Equatable, Sendable {
    /// The number of items.
    public var items: Int
    /// The number of schedules among them.
    public var schedules: Int
    /// The number of erasures of one tenant among them.
    public var erasuresOfTenant: Int
    /// Tenants whose erasures are skipped.
    public var fullOfErasures: [String]
    /// Tenants whose schedules are skipped.
    public var fullOfBroadcasts: [String]

    public init(
        items: Int, schedules: Int, erasuresOfTenant: Int, fullOfErasures: [String] = [],
        fullOfBroadcasts: [String] = []
    ) {
        self.items = items
        self.schedules = schedules
        self.erasuresOfTenant = erasuresOfTenant
        self.fullOfErasures = fullOfErasures
        self.fullOfBroadcasts = fullOfBroadcasts
    }

    /// No room at all.
    public static let none = DueRoom(items: 0, schedules: 0, erasuresOfTenant: 0)

    /// The holders to pass over, as `due-shares.lua` spells them.
    var fullHolders: [String] { fullOfErasures.map { "e:\($0)" } + fullOfBroadcasts.map { "s:\($0)" } }
}
