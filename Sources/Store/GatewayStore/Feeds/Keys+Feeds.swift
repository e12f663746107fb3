extension Keys {
    /// The state of a feed.
    static func feed(_ id: FeedID) -> String { "fanfare:{f:\(id)}" }

    /// The lease of the gateway that polls the feed.
    static func feedLease(_ id: FeedID) -> String { "\(feed(id)):lease" }
}
