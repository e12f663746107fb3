import LiveActivity
import TestSupport
import Testing
import TimeCore

@Suite("Payloads")
struct PayloadTests {
    private func slice(_ text: String) -> ArraySlice<UInt8> {
        // In the middle of something longer, as it is in a request's body.
        let bytes = Array("<<\(text)>>".utf8)
        return bytes[2..<(bytes.count - 2)]
    }

    private func text(_ payload: Payload, _ timestamp: Int64 = 1_700_000_000) -> String {
        String(decoding: payload.bytes(timestamp: timestamp), as: UTF8.self)
    }

    private let odd = """
        { "n":[1.0,1e3,1E+02,-0,12345678901234567890,0.10000000000000000000001], "a":1,"a":2,\t"e":"\\u00e9\\/\\n😀" }
        """

    @Test("An update holds the content state byte for byte: numbers, duplicate keys, escapes, white space")
    func update() {
        let payload = Payload.update(content: Content(contentState: slice(odd)), options: PresentationOptions())
        #expect(text(payload) == #"{"aps":{"timestamp":1700000000,"event":"update","content-state":\#(odd)}}"#)
    }

    @Test("A start holds type, attributes and alert byte for byte, and asks for an update token")
    func start() {
        let content = Content(
            title: slice(#""T\u0041 \"x\"""#), message: slice(#""M""#), contentState: slice(odd),
            attributes: slice(#"{ "z" : 1.50 }"#))
        let payload = Payload.start(type: "Match\"\n", content: content, options: PresentationOptions())
        #expect(
            text(payload) == """
                {"aps":{"timestamp":1700000000,"event":"start","content-state":\(odd),"attributes-type":"Match\\"\\n",\
                "attributes":{ "z" : 1.50 },"input-push-token":1,\
                "alert":{"title":"T\\u0041 \\"x\\"","body":"M"}}}
                """)
    }

    @Test("The activity's id is added to a start that is composed already as to any other")
    func addedLater() throws {
        let content = Content(
            title: slice(#""T""#), message: slice(#""M""#), contentState: slice("{}"),
            attributes: slice(#"{ "a" : 1.50 }"#))
        let start = Payload.start(type: "A", content: content, options: PresentationOptions())
        let never = WallTime(milliseconds: 0)
        var activity = Activity(
            id: UniqueID(high: 1, low: 2), tenantID: "t", type: "A", createdAt: never, endsAt: never)
        #expect(start.adding(idOf: activity) == start)
        activity.activityIDAttribute = "k"
        let whole = try Payload.start(of: activity, content: content, options: PresentationOptions())
        #expect(start.adding(idOf: activity) == whole && whole != start)
    }

    @Test("A Live Activity is started anew with the start's texts and attributes and the newest state, byte for byte")
    func anew() throws {
        var options = PresentationOptions()
        options.staleDate = 1
        options.relevanceScore = slice("1.0")
        options.sound = slice(#""goal""#)
        let content = Content(
            title: slice(#""T\u0041""#), message: slice(#""M""#), contentState: slice("{}"),
            attributes: slice(#"{ "content-state" : 1.50 }"#))
        let start = Payload.start(type: "Match\"", content: content, options: options).bytes(timestamp: 7)
        options.staleDate = 2
        options.relevanceScore = nil
        let update = Payload.update(
            content: Content(title: slice(#""goal!""#), contentState: slice(odd)), options: options)
        let payload = try #require(Payload.start(start, withStateOf: update.bytes(timestamp: 8)))
        #expect(
            text(payload) == """
                {"aps":{"timestamp":1700000000,"event":"start","content-state":\(odd.trimmingSpaces),\
                "attributes-type":"Match\\"","attributes":{ "content-state" : 1.50 },"input-push-token":1,\
                "alert":{"title":"T\\u0041","body":"M","sound":"goal"},"stale-date":2}}
                """)
        let same = try #require(Payload.start(start, withStateOf: start))
        #expect(same.bytes(timestamp: 7) == start)
        #expect(Payload.start(update.bytes(timestamp: 8), withStateOf: start) == nil)
        #expect(Payload.start(start, withStateOf: Array("{".utf8)) == nil)
    }

    @Test("Attributes that are absent are an empty object")
    func noAttributes() {
        let payload = Payload.start(
            type: "A", content: Content(contentState: slice("{}")), options: PresentationOptions())
        #expect(text(payload).contains(#","attributes":{},"#))
    }

    @Test(
        "The activity's id stands first in the attributes, with a comma only where one belongs",
        arguments: Escaped.each(
            [
                (nil, #"{"k":"ID"}"#), ("{}", #"{"k":"ID"}"#), ("{ }", #"{"k":"ID" }"#),
                ("{\n\t\r }", "{\"k\":\"ID\"\n\t\r }"),
                (#"{"a":1}"#, #"{"k":"ID","a":1}"#), (#"{ "a":{} }"#, #"{"k":"ID", "a":{} }"#),
                (#"{"}":"}"}"#, #"{"k":"ID","}":"}"}"#),
            ] as [(String?, String)]))
    func addedID(_ argument: Escaped<(String?, String)>) throws {
        let (attributes, expected) = argument.value
        let id = UniqueID(high: 1, low: 2)
        let content = Content(contentState: slice("{}"), attributes: attributes.map(slice))
        let payload = Payload.start(
            type: "A", content: content, options: PresentationOptions(), activityIDAttribute: ("k", id))
        let wanted = expected.replacing("ID", with: id.description)
        #expect(text(payload).contains(#","attributes":\#(wanted),"input-push-token""#))
        _ = try JSONDocument(parsing: payload.bytes(timestamp: 1_700_000_000))
    }

    @Test("A key with quotes is escaped when the activity's id is added under it")
    func addedKey() throws {
        let payload = Payload.start(
            type: "A", content: Content(), options: PresentationOptions(),
            activityIDAttribute: ("a\"b\\", UniqueID(high: 0, low: 0)))
        let root = try JSONDocument(parsing: payload.bytes(timestamp: 1_700_000_000)).root
        let attributes = try root.member("aps")?.member("attributes")
        #expect(try attributes?.member("a\"b\\")?.string == "00000000-0000-0000-0000-000000000000")
    }

    @Test("Without title and message there is no alert, and a sound alone makes none", arguments: [false, true])
    func noAlert(hasSound: Bool) {
        let options = PresentationOptions(sound: hasSound ? slice(#""s""#) : nil)
        #expect(!text(.update(content: Content(contentState: slice("{}")), options: options)).contains("alert"))
        #expect(!text(.end(content: Content(contentState: slice("{}")), options: options)).contains("alert"))
    }

    @Test(
        "Each part of the alert appears when it is given, in a fixed order",
        arguments: [
            (true, false, false, #"{"title":"T"}"#), (false, true, false, #"{"body":"M"}"#),
            (false, true, true, #"{"body":"M","sound":"S"}"#),
            (true, true, true, #"{"title":"T","body":"M","sound":"S"}"#),
        ])
    func alert(title: Bool, message: Bool, sound: Bool, expected: String) {
        let content = Content(title: title ? slice(#""T""#) : nil, message: message ? slice(#""M""#) : nil)
        let options = PresentationOptions(sound: sound ? slice(#""S""#) : nil)
        #expect(
            text(.update(content: content, options: options))
                == #"{"aps":{"timestamp":1700000000,"event":"update","alert":\#(expected)}}"#)
    }

    @Test("Options are written to the fields that Apple reads, for every event")
    func options() {
        let options = PresentationOptions(
            staleDate: 1_800_000_000, dismissalDate: -5, relevanceScore: slice("1e2"))
        #expect(
            text(.end(content: nil, options: options)) == """
                {"aps":{"timestamp":1700000000,"event":"end","stale-date":1800000000,"relevance-score":1e2,\
                "dismissal-date":-5}}
                """)
        let shown = #","stale-date":1800000000,"relevance-score":1e2,"dismissal-date":-5}}"#
        #expect(text(.update(content: Content(), options: options)).hasSuffix(shown))
        let start = Payload.start(type: "A", content: Content(contentState: slice("{}")), options: options)
        #expect(text(start).hasSuffix(shown))
        let following = Payload.start(start.bytes(timestamp: 1_700_000_000), following: "c")
        #expect(following.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix(shown) == true)
        let later = Payload.update(
            content: Content(contentState: slice("{}")), options: PresentationOptions(dismissalDate: 7))
        let anew = Payload.start(start.bytes(timestamp: 1), withStateOf: later.bytes(timestamp: 2))
        #expect(anew.map { text($0) }?.hasSuffix(#""dismissal-date":7}}"#) == true)
    }

    @Test("An alert's texts may be objects that name texts of the app, and stay what they are byte for byte")
    func localisedAlert() {
        let title = #"{ "loc-key":"GOAL\u005f1", "loc-args": ["A" ,"B"] }"#
        let content = Content(title: slice(title), message: slice(#"{"loc-key":"M"}"#), contentState: slice("{}"))
        let alert = #""alert":{"title":\#(title),"body":{"loc-key":"M"}}"#
        #expect(text(.update(content: content, options: .init())).contains(alert))
        #expect(text(.start(type: "A", content: content, options: .init())).contains(alert))
    }

    @Test("Two payloads look alike when state and options do, and their dismissal date is one of the options")
    func display() {
        func display(_ options: PresentationOptions) -> Payload.Display? {
            Payload.update(content: Content(contentState: slice("{}")), options: options).display
        }
        #expect(display(.init()) == display(.init()))
        #expect(display(.init()) != display(.init(dismissalDate: 5)))
        #expect(display(.init(dismissalDate: 6)) != display(.init(dismissalDate: 5)))
        #expect(display(.init(staleDate: 5)) != display(.init(dismissalDate: 5)))
        // These bytes are equal to those before the dismissal date existed, so stored digests stay valid.
        #expect(display(.init())?.state == Array("{}\0\0".utf8))
    }

    @Test(
        "The activity's id is not put beside a member of the same name",
        arguments: [
            (#"{"k":1}"#, true), (#"{"a":{"k":1}}"#, false), (#"{"\u006b":1}"#, true), (#"{"k":1,"k":2}"#, true),
            ("{}", false), (#"{"K":1}"#, false),
        ])
    func takenAttribute(_ attributes: String, isTaken: Bool) throws {
        var activity = Activity(
            id: UniqueID(high: 1, low: 2), tenantID: "t", type: "A", createdAt: WallTime(seconds: 1),
            endsAt: WallTime(seconds: 9), activityIDAttribute: "k")
        let content = Content(contentState: slice("{}"), attributes: slice(attributes))
        func start() throws(Payload.AttributeTaken) -> Payload {
            try .start(of: activity, content: content, options: PresentationOptions())
        }
        if isTaken {
            #expect(throws: Payload.AttributeTaken.self) { try start() }
        } else {
            #expect(try text(start()).contains(#""k":"\#(activity.id)""#))
        }
        activity.activityIDAttribute = nil
        #expect(try text(start()).contains(#""attributes":\#(attributes),"#))
    }

    @Test("An end without content has neither state nor alert")
    func bareEnd() {
        let payload = Payload.end(content: nil, options: PresentationOptions())
        #expect(text(payload) == #"{"aps":{"timestamp":1700000000,"event":"end"}}"#)
    }

    @Test("The length is known before the timestamp is", arguments: [1_000_000_000, 1_795_278_600, 9_999_999_999])
    func length(timestamp: Int64) {
        let content = Content(title: slice(#""é""#), contentState: slice(odd), attributes: slice("{}"))
        let options = PresentationOptions(staleDate: 1, sound: slice(#""x""#))
        for payload in [
            Payload.start(
                type: "Ä", content: content, options: options, activityIDAttribute: ("ö", UniqueID(high: 3, low: 4))),
            .update(content: content, options: options), .end(content: nil, options: options),
        ] {
            #expect(payload.length == payload.bytes(timestamp: timestamp).count)
        }
    }
}

extension String {
    /// Without white space around it: that of a value does not belong to it.
    fileprivate var trimmingSpaces: Substring {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return self[first...last]
    }
}
