extension Keys {
    /// How a feed is doing.
    static func feed(_ id: FeedID) -> String { "fanfare:{f:\(id)}" }

    /// Who polls it.
    static func feedLease(_ id: FeedID) -> String { "\(feed(id)):lease" }
}
