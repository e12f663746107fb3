import LiveActivity

/// From the bytes of a start's body to the slice of its content that goes into the payload.
enum JSONStep {
    private static let body = Array(
        """
        {"activity_id":"0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b","activity_type":"MatchAttributes","content":{"title":\
        "Kick-off","message":"It begins","content_state":{"home":{"name":"Lions","score":0},"away":{"name":"Bears",\
        "score":0},"minute":1,"events":["whistle","first touch"]},"attributes":{"match":4711}}}
        """.utf8)

    static func slice(_ count: Int) -> Int {
        var bytes = 0
        for _ in 0..<count {
            guard let document = try? JSONDocument(parsing: body),
                let content = try? document.root.member("content"),
                let state = try? content.member("content_state")
            else { return 0 }
            bytes += state.slice.count
        }
        return bytes
    }
}
