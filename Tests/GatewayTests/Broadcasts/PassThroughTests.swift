import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import TestSupport
import Testing
import TimeCore

@Suite("Content is passed through byte for byte", .serialized)
struct PassThroughTests {
    @Test(
        "Spellings, order, duplicate keys, escapes and white space arrive as they were sent",
        arguments: Escaped.each([
            #"{"a":1.0,"b":1e3,"c":12345678901234567890,"d":-0.0,"e":1E+2}"#,
            #"{ "z" : 1 , "a" : [ 1 , 2 ] ,\#n\#t"m" : { } }"#,
            #"{"k":1,"k":2,"K":{"x":1,"x":2}}"#,
            #"{"s":"\u00e9\/\\\"\n","t":"é","u":"\uD83D\uDE00","v":"😀"}"#,
            "{}",
        ]))
    func verbatim(_ argument: Escaped<String>) async throws {
        let object = argument.value
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let title = #""\u0041 \/ Bé""#
            let message = #""x\ty""#
            let content = """
                {"title":\(title),"message": \(message) ,"content_state":  \(object)  ,"attributes":\(object)}
                """
            #expect(try await stage.call("start", TestStage.body(id, content: content)).accepted == 1)
            let push = try #require(stage.pushes(.start).first)
            #expect(push.aps("content-state").map { Array($0.slice) } == Array(object.utf8))
            #expect(push.aps("attributes").map { Array($0.slice) } == Array(object.utf8))
            #expect(try push.aps("alert")?.member("title").map { Array($0.slice) } == Array(title.utf8))
            #expect(try push.aps("alert")?.member("body").map { Array($0.slice) } == Array(message.utf8))
        }
    }

    @Test("Texts that the app has in its user's language arrive as they were sent, and what names none is refused")
    func localisedAlert() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let title = #"{ "loc-args":["\u0041jax", "2"] ,"loc-key" : "GOAL" }"#
            func content(_ title: String, _ message: String = #"{"loc-key":"M"}"#) -> String {
                #"{"title":\#(title),"message":\#(message),"content_state":{},"attributes":{}}"#
            }
            for (wrong, word) in [
                ("{}", "content.title.loc-key"), (#"{"loc-key":""}"#, "content.title.loc-key"),
                (#"{"loc-key":7}"#, "content.title.loc-key"), (#"{"loc-key":"a","loc-args":"b"}"#, "loc-args"),
                (#"{"loc-key":"a","loc-args":[1]}"#, "content.title.loc-args"),
                (#"{"loc-key":"a","loc-args":null}"#, "content.title.loc-args"), ("7", "content.title must be"),
                (#"{"loc_key":"a"}"#, "did you mean content.title.loc-key?"), (#"["a"]"#, "content.title must be"),
                (#"{"loc-key":"a","loc-key":"b"}"#, "twice"),
            ] {
                let answer = try await stage.call("start", TestStage.body(id, content: content(wrong)))
                #expect(answer.status == 400 && answer["error"]?.string?.contains(word) == true, "\(answer.text)")
            }
            #expect(try await stage.call("start", TestStage.body(id, content: content(title))).accepted == 1)
            let alert = try #require(stage.pushes(.start).first?.aps("alert"))
            #expect(Array(alert.slice) == Array(#"{"title":\#(title),"body":{"loc-key":"M"}}"#.utf8))
        }
    }

    @Test("An alert without a text is refused wherever content is taken: no phone shows it")
    func emptyAlert() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let empty = #"{"title":" \u00a0\u200b\ufeff\u0007","message":"","content_state":{},"attributes":{}}"#
            let calls = [("start", ""), ("restart", #""devices":"unsent""#), ("update", ""), ("end", "")]
            for (call, more) in calls {
                let answer = try await stage.call(call, TestStage.body(id, content: empty, more: more))
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(call): \(answer.text)")
                #expect(answer["error"]?.string?.hasSuffix("phones show no empty alert") == true)
            }
            let schedule = TestStage.scheduleBody(id, #""offset":60"#, event: "start", content: empty)
            #expect(try await stage.call("schedule", schedule).code == "VALIDATION_FAILED")
            let topic = #"{"activity_type":"\#(TestStage.type)","state":"live","content":\#(empty)}"#
            #expect(try await stage.put("t", topic).code == "VALIDATION_FAILED")
            let short = #"{"title":"Kick-off","message":"","content_state":{}}"#
            #expect(try await stage.call("start", TestStage.body(id, content: short)).accepted == 1)
        }
    }

    @Test("A key that the activity's id goes under may not be among the attributes: JSON would have it twice")
    func takenAttribute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1, options: #"{"activity_id_attribute":"activityId"}"#)
            let content = #"{"title":"a","message":"b","content_state":{},"attributes":{"activity\u0049d":"x"}}"#
            let schedule = TestStage.scheduleBody(id, #""offset":60"#, event: "start", content: content)
            for answer in [
                try await stage.call("start", TestStage.body(id, content: content)),
                try await stage.call("schedule", schedule),
            ] {
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("content.attributes must not have activityId,") == true)
            }
            #expect(stage.pushes(.start).isEmpty)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            let again = TestStage.body(id, content: content, more: #""devices":"unsent""#)
            #expect(try await stage.call("restart", again).code == "VALIDATION_FAILED")
            // A topic refuses them as well, also if the attributes were given before the key.
            func topic(_ state: String, _ content: String, options: String = "{}") async throws -> TestStage.Answer {
                let type = #""activity_type":"\#(TestStage.type)""#
                return try await stage.put(
                    "t", #"{\#(type),"state":"\#(state)","content":\#(content),"options":\#(options)}"#)
            }
            let key = #"{"activity_id_attribute":"activityId"}"#
            let bare = #"{"title":"a","message":"b","content_state":{}}"#
            let direct = try await topic("live", content, options: key)
            #expect(try await topic("upcoming", content).status == 200)
            for answer in [direct, try await topic("live", bare, options: key)] {
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("content.attributes must not have activityId,") == true)
            }
            #expect(try await topic("live", bare).status == 200)
        }
    }

    @Test("The activity's id is added to the attributes only when asked for")
    func activityIDAttribute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for attributes in ["{}", #"{ "a" : 1.0 }"#] {
                let id = try await stage.register(1, options: #"{"activity_id_attribute":"activityId"}"#)
                let content = #"{"title":"a","message":"b","content_state":{},"attributes":\#(attributes)}"#
                #expect(try await stage.call("start", TestStage.body(id, content: content)).accepted == 1)
                let push = try #require(stage.pushes(.start).last)
                #expect(try push.aps("attributes")?.member("activityId")?.string == id)
                if attributes != "{}" {
                    let slice = try #require(push.aps("attributes")).slice
                    #expect(String(decoding: slice, as: UTF8.self).hasSuffix(#", "a" : 1.0 }"#))
                }
            }
        }
    }

    /// The JSON conformance suite as content: an update for each case. Valid objects arrive byte for byte, what is no
    /// JSON is refused, valid JSON that is no object is refused for its type.
    @Test("318 third-party JSON conformance cases as content_state")
    func conformance() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../LiveActivityTests/Resources/JSONTestSuite/test_parsing")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        #expect(files.count == 318)
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            _ = try await stage.sync(0, id)
            var expected: [[UInt8]] = []
            for file in files {
                let text = [UInt8](try Data(contentsOf: file))
                // Objects are sent as they are, all else inside of one.
                for (bytes, isWrapped) in [(text, false), (Array(#"{"x":"#.utf8) + text + Array("}".utf8), true)] {
                    let answer = try await send(bytes, id, stage)
                    let name = file.lastPathComponent
                    #expect(
                        answer.status == 200 || answer.status == 400 || answer.status == 413, "\(name): \(answer.text)")
                    if answer.status == 200 {
                        #expect(answer.accepted == 1)
                        expected.append(trimmed(bytes))
                        #expect(!name.hasPrefix("n_") || (isWrapped && isValidInside(text)), "\(name) was accepted")
                    } else if name.hasPrefix("y_"), isWrapped, bytes.count < 3500 {
                        Issue.record("\(name) was refused: \(answer.text)")
                    }
                }
            }
            let states = stage.pushes(.update).compactMap { $0.aps("content-state").map { Array($0.slice) } }
            #expect(states == expected)
            #expect(expected.count > 95)
        }
    }

    private func send(_ contentState: [UInt8], _ id: String, _ stage: TestStage) async throws -> TestStage.Answer {
        let head = #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","content":{"content_state":"#
        let headers = ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"]
        return try await stage.send(
            "POST", "/api/v1/live-activity/update", bytes: Array(head.utf8) + contentState + Array("}}".utf8),
            headers: headers)
    }

    private func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        return Array(bytes.drop { space.contains($0) }.reversed().drop { space.contains($0) }.reversed())
    }

    /// A few cases are wrong by what comes before or after a value, and right between other bytes.
    private func isValidInside(_ text: [UInt8]) -> Bool {
        (try? JSONDocument(parsing: Array(#"{"x":"#.utf8) + text + Array("}".utf8))) != nil
    }
}
