import PhoneModel
import Testing

@Suite("A crowd of strict phones")
struct PhoneCrowdTests {
    private static let app = AppType(
        "Match", attributes: ["id": .integer], state: ["home": .integer, "team": .text])
    private static let first = String(repeating: "a1", count: 32)
    private static let second = String(repeating: "b2", count: 32)
    private static let third = String(repeating: "c3", count: 32)

    private static func start(
        _ timestamp: Int = 1, id: String = "1", attributes: String? = nil, state: String? = nil, type: String = "Match",
        more: String = ""
    ) -> [UInt8] {
        let state = state ?? #"{"home":0,"team":"x"}"#
        return Array(
            """
            {"aps":{"event":"start","timestamp":\(timestamp),"attributes-type":"\(type)",\
            "attributes":\(attributes ?? #"{"id":\#(id)}"#),"content-state":\(state)\(more)}}
            """.utf8)
    }

    private static func push(_ home: String, _ timestamp: Int, _ event: String = "update") -> [UInt8] {
        Array(
            #"{"aps":{"event":"\#(event)","timestamp":\#(timestamp),"content-state":{"home":\#(home),"team":"x"}}}"#
                .utf8)
    }

    private static func wanted(_ home: Int, id: Int = 1, isOver: Bool = false) -> WantedContent {
        WantedContent(attributes: #"{"id":\#(id)}"#, state: #"{"home":\#(home),"team":"x"}"#, isOver: isOver)
    }

    private func started() -> PhoneCrowd {
        var crowd = PhoneCrowd([Self.app])
        crowd.receive(apns: Self.start(), token: Self.first)
        crowd.own(Self.second, on: Self.first)
        return crowd
    }

    @Test(
        "A start that does not decode shows nothing, and the reason is kept",
        arguments: [
            (start(attributes: "{}"), "start: attributes lacks id"),
            (start(attributes: "null"), "start: attributes is null"),
            (start(id: #""1""#), #"start: attributes has id: "1", which is no Int"#),
            (start(id: "true"), "start: attributes has id: true, which is no Int"),
            (start(id: "1.5"), "start: attributes has id: 1.5, which is no Int"),
            (start(state: #"{"home":0}"#), "start: content-state lacks team"),
            (start(state: #"{"home":0,"team":null}"#), "start: content-state has team: null, which is no String"),
            (start(type: "Order"), "start: no app has the type Order"),
            (Array(#"{"aps":{"event":"start","timestamp":"1"}}"#.utf8), "start: the timestamp is no integer"),
            (Array("{}".utf8), "the payload has no aps"),
        ])
    func dropped(payload: [UInt8], reason: String) {
        var crowd = PhoneCrowd([Self.app])
        crowd.receive(apns: payload, token: Self.first)
        let phone = crowd.phone(Self.first)
        #expect(phone.liveActivities.isEmpty)
        #expect(phone.drops == [reason])
        #expect(phone.difference(from: Self.wanted(0))?.contains("shows no Live Activity (it dropped a push: ") == true)
    }

    @Test("An update is shown, an older one is not, and nothing comes after the end")
    func order() {
        var crowd = started()
        crowd.receive(apns: Self.push("2", 5), token: Self.second)
        crowd.receive(apns: Self.push("1", 4), token: Self.second)
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(2)) == nil)
        crowd.receive(apns: Self.push("3", 6, "end"), token: Self.second)
        crowd.receive(apns: Self.push("4", 7), token: Self.second)
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(3, isOver: true)) == nil)
        #expect(
            crowd.phone(Self.first).difference(from: Self.wanted(4))
                == #"shows {"home":3,"team":"x"} as ended of {"id":1}, the customer asked for {"home":4,"team":"x"} of {"id":1}"#
        )
    }

    @Test("An end without content keeps the last one")
    func endWithoutContent() {
        var crowd = started()
        crowd.receive(apns: Array(#"{"aps":{"event":"end","timestamp":9}}"#.utf8), token: Self.second)
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(0, isOver: true)) == nil)
    }

    @Test("An update that does not decode changes nothing and is a difference", arguments: ["true", #""2""#, "null"])
    func undecodableUpdate(home: String) {
        var crowd = started()
        crowd.receive(apns: Self.push(home, 5), token: Self.second)
        #expect(crowd.phone(Self.first).liveActivities.map(\.timestamp) == [1])
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(0))?.contains("dropped a push: update") == true)
        #expect(crowd.drops.count == 1)
    }

    @Test("Two Live Activities of one type keep their tokens apart by their attributes")
    func twoOfOneType() {
        var crowd = PhoneCrowd([Self.app])
        for id in ["1", "2"] { crowd.receive(apns: Self.start(id: id), token: Self.first) }
        crowd.own(Self.second, on: Self.first, attributes: Array(#"{"id":1}"#.utf8))
        crowd.own(Self.third, on: Self.first, attributes: Array(#"{"id":2}"#.utf8))
        crowd.receive(apns: Self.push("7", 2), token: Self.third)
        crowd.receive(apns: Self.push("5", 2), token: Self.second)
        let phone = crowd.phone(Self.first)
        #expect(phone.liveActivities.map(\.systemID) == [1, 2])
        #expect(phone.difference(from: Self.wanted(5)) == nil)
        #expect(phone.difference(from: Self.wanted(7, id: 2)) == nil)
        // The content of one on the token of the other is a difference for both.
        crowd.receive(apns: Self.push("7", 3), token: Self.second)
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(5)) != nil)
    }

    @Test("A token stays with the Live Activity that reported it first")
    func boundToken() {
        var crowd = started()
        crowd.reportAll()
        crowd.receive(apns: Self.start(2, id: "2"), token: Self.first)
        crowd.own(Self.second, on: Self.first, attributes: Array(#"{"id":2}"#.utf8))
        crowd.reportAll()
        #expect(crowd.liveActivity(Self.second)?.systemID == 1)
    }

    @Test("A token that the system gives a Live Activity later is one more of it")
    func rotation() {
        var crowd = PhoneCrowd([Self.app])
        crowd.receive(apns: Self.start(), token: Self.first)
        for (token, home) in [(Self.second, 2), (Self.third, 3), (Self.second, 4)] {
            crowd.own(token, on: Self.first, attributes: Array(#"{"id":1}"#.utf8))
            crowd.receive(apns: Self.push("\(home)", home), token: token)
            #expect(crowd.phone(Self.first).difference(from: Self.wanted(home)) == nil)
        }
    }

    @Test("A push to a channel reaches only the Live Activities that follow it")
    func channel() {
        var crowd = PhoneCrowd([Self.app])
        crowd.receive(apns: Self.start(more: #","input-push-channel":"c""#), token: Self.first)
        crowd.receive(apns: Self.start(), token: Self.third)
        crowd.publish(apns: Self.push("4", 2), channel: "c")
        crowd.publish(apns: Self.push("5", 3), channel: "d")
        #expect(crowd.phone(Self.first).difference(from: Self.wanted(4)) == nil)
        #expect(crowd.phone(Self.third).difference(from: Self.wanted(0)) == nil)
    }

    @Test("An Android app shows a name once, and each token has its own phone")
    func android() {
        func body(_ token: String, _ event: String, _ timestamp: Int, _ home: Int, attributes: String = #"{\"id\":1}"#)
            -> [UInt8]
        {
            Array(
                """
                {"message":{"token":"\(token)","data":{"live_activity_id":"n","live_activity_event":"\(event)",\
                "live_activity_timestamp":"\(timestamp)","live_activity_type":"Match","attributes":"\(attributes)",\
                "content_state":"{\\"home\\":\(home),\\"team\\":\\"x\\"}"}}}
                """.utf8)
        }
        var crowd = PhoneCrowd([Self.app])
        for token in ["one:A", "two:B", "one:A"] { crowd.receive(fcm: body(token, "start", 1, 0), token: token) }
        crowd.receive(fcm: body("two:B", "update", 2, 6), token: "two:B")
        #expect(crowd.phone("one:A").liveActivities.count == 1)
        #expect(crowd.phone("one:A").difference(from: Self.wanted(0)) == nil)
        #expect(crowd.phone("two:B").difference(from: Self.wanted(6)) == nil)
        crowd.receive(fcm: body("one:C", "start", 1, 0, attributes: "{}"), token: "one:C")
        #expect(crowd.phone("one:C").drops == ["start: attributes lacks id"])
    }

    @Test("A phone that shows another activity is named with both contents")
    func other() {
        let crowd = started()
        #expect(
            crowd.phone(Self.first).difference(from: Self.wanted(0, id: 2))
                == #"shows {"home":0,"team":"x"} of {"id":1}, the customer asked for {"home":0,"team":"x"} of {"id":2}"#
        )
    }
}
