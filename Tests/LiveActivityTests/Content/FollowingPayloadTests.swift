import LiveActivity
import Testing

@Suite("Starts that follow a channel")
struct FollowingPayloadTests {
    private func text(_ payload: [UInt8]?) -> String? { payload.map { String(decoding: $0, as: UTF8.self) } }

    @Test("The channel stands in place of the wish for an update token; all else is byte for byte the same")
    func following() throws {
        func slice(_ text: String) -> ArraySlice<UInt8> { ArraySlice(text.utf8) }
        let content = Content(
            title: slice(#""\u0041""#), message: slice(#""m""#),
            contentState: slice(#"{"input-push-token":1.0, "a":1e3,"a":2}"#), attributes: slice(#"{"x": [ ]}"#))
        var options = PresentationOptions()
        options.staleDate = 99
        let start = Payload.start(type: "Match", content: content, options: options)
        let whole = start.bytes(timestamp: 1_700_000_001)
        let following = try #require(text(Payload.start(whole, following: "ab+/==")))
        #expect(
            following
                == #"{"aps":{"timestamp":1700000001,"event":"start","content-state":{"input-push-token":1.0, "a":1e3,"a":2},"#
                + #""attributes-type":"Match","attributes":{"x": [ ]},"input-push-channel":"ab+/==","#
                + #""alert":{"title":"\u0041","body":"m"},"stale-date":99}}"#)
        #expect(text(whole)?.contains(#""input-push-token":1,"#) == true)
    }

    @Test("What is no start is none that follows")
    func others() {
        let update = Payload.update(content: Content(), options: PresentationOptions()).bytes(timestamp: 1_700_000_000)
        for bytes in [update, [], Array("{}".utf8), Array(#"{"aps":{}}"#.utf8), Array("[".utf8)] {
            #expect(Payload.start(bytes, following: "c") == nil)
        }
    }
}
