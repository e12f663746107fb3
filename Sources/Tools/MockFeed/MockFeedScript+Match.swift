extension MockFeedScript {
    /// The text of a script: a match that is announced, goes live after 15 s, has a goal in each quarter of a minute, and has
    /// ended after 75 s.
    public static let match: [UInt8] = {
        let card = { (state: String, score: String, minute: Int) in
            """
            [{"topic": "match-1", "activity_type": "MatchAttributes", "state": "\(state)", "content": {\
            "title": "Home - Away", "message": "\(score)", "content_state": {"score": "\(score)", "minute": \(minute)}, \
            "attributes": {"home": "Home", "away": "Away"}}}]
            """
        }
        let steps = [
            card("upcoming", "0:0", 0), card("live", "0:0", 1), card("live", "1:0", 23), card("live", "1:1", 61),
            card("live", "2:1", 88), card("ended", "2:1", 90),
        ]
        let texts = steps.enumerated().map { "{\"after_ms\": \($0 * 15_000), \"topics\": \($1)}" }
        return Array("{\"steps\": [\(texts.joined(separator: ",\n"))]}".utf8)
    }()
}
