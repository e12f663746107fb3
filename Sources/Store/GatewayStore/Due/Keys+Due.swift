extension Keys {
    /// What of a shard's activities is to happen when: items by epoch ms.
    static func due(_ shard: Int) -> String { "fanfare:{\(shard)}:due" }
}
