extension Keys {
    /// The updates of a shard's activities that their gateways are sending at once, by activity.
    static func direct(_ shard: Int) -> String { directs[shard] }

    private static let directs = ofShards { "fanfare:{\($0)}:direct" }
}
