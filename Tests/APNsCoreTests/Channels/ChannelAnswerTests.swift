import APNsCore
import Testing
import TimeCore

@Suite("Requests about channels and their answers")
struct ChannelAnswerTests {
    @Test("Requests follow Apple's description")
    func requests() {
        let create = ChannelRequest.create(storesNewest: true)
        #expect(create.method == "POST" && create.path(bundleIdentifier: "com.a") == "/1/apps/com.a/channels")
        #expect(create.body == Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
        #expect(
            ChannelRequest.create(storesNewest: false).body
                == Array(#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#.utf8))
        #expect(create.channel == nil)
        let delete = ChannelRequest.delete("id=")
        #expect(delete.method == "DELETE" && delete.path(bundleIdentifier: "com.a") == "/1/apps/com.a/channels")
        #expect(delete.channel == "id=" && delete.body.isEmpty)
        let list = ChannelRequest.list
        #expect(list.method == "GET" && list.path(bundleIdentifier: "com.a") == "/1/apps/com.a/all-channels")
        #expect(list.channel == nil && list.body.isEmpty)
    }

    private static let create = ChannelRequest.create(storesNewest: true)

    @Test(
        "Status and reason decide the meaning of an answer",
        arguments: [
            (create, 201, "", ChannelAnswer.created("aGVsbG8=")), (.delete("x"), 204, "", .deleted),
            (.delete("x"), 404, #"{"reason":"ChannelNotRegistered"}"#, .gone),
            (.delete("x"), 400, #"{"reason":"ChannelNotRegistered"}"#, .gone), (.delete("x"), 404, "", .gone),
            (create, 404, "", .failed("status 404")),
            (create, 400, #"{"reason":"CannotCreateChannelConfig"}"#, .limitReached),
            (create, 403, #"{"reason":"FeatureNotEnabled"}"#, .featureOff),
            (create, 400, #"{"reason":"FeatureNotEnabled"}"#, .featureOff),
            (.list, 403, #"{"reason":"ExpiredProviderToken"}"#, .tokenExpired),
            (.list, 403, #"{"reason":"InvalidProviderToken"}"#, .credentialRefused("InvalidProviderToken")),
            (.list, 403, "", .credentialRefused("status 403")),
            (.list, 503, "", .later("status 503", after: .seconds(9))),
            (create, 429, #"{"reason":"TooManyRequests"}"#, .later("TooManyRequests", after: .seconds(9))),
            (create, 400, #"{"reason":"BadMessageStoragePolicy"}"#, .failed("BadMessageStoragePolicy")),
            (.list, 200, #"{"channels":["a=","b\/c","d e",7]}"#, .listed(["a=", "b/c"])),
            (.list, 200, #"{"channels":[]}"#, .listed([])), (.list, 200, "[]", .failed("the list is unreadable")),
        ] as [(ChannelRequest, UInt16, String, ChannelAnswer)])
    func answers(request: ChannelRequest, status: UInt16, body: String, meaning: ChannelAnswer) {
        let answer = ChannelAnswer(
            to: request, status: status, channel: "aGVsbG8=", body: Array(body.utf8), retryAfter: .seconds(9))
        #expect(answer == meaning)
    }

    @Test(
        "An id that cannot stand in a header field or a list is unreadable", arguments: [nil, "", "a,b", "a b", "!a"])
    func identifiers(id: String?) {
        let answer = ChannelAnswer(to: Self.create, status: 201, channel: id, body: [], retryAfter: nil)
        #expect(answer == .failed("the channel was created, but its id is unreadable"))
    }
}
