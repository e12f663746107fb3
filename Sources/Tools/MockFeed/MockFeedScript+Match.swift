extension MockFeedScript {
    /// The text of a script with one match. It goes live after 15 s, has goals at 30, 45 and 60 s, and ends after 75 s.
    public static let match: [UInt8] = {
        let topics = { (state: String, score: String, minute: Int) in
            """
            [{"topic": "match-1", "activity_type": "MatchAttributes", "state": "\(state)", "content": {\
            "title": "Home - Away", "message": "\(score)", "content_state": {"score": "\(score)", "minute": \(minute)}, \
            "attributes": {"home": "Home", "away": "Away"}}}]
            """
        }
        let steps = [
            topics("upcoming", "0:0", 0), topics("live", "0:0", 1), topics("live", "1:0", 23),
            topics("live", "1:1", 61),
            topics("live", "2:1", 88), topics("ended", "2:1", 90),
        ]
        let texts = steps.enumerated().map { "{\"after_ms\": \($0 * 15_000), \"topics\": \($1)}" }
        return Array("{\"steps\": [\(texts.joined(separator: ",\n"))]}".utf8)
    }()
}
