extension Keys {
    /// The due queue of a shard: items by epoch ms.
    static func due(_ shard: Int) -> String { "fanfare:{\(shard)}:due" }
}
