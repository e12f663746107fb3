import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Content is passed through byte for byte", .serialized)
struct PassThroughTests {
    @Test(
        "Spellings, order, duplicate keys, escapes and white space arrive as they were sent",
        arguments: [
            #"{"a":1.0,"b":1e3,"c":12345678901234567890,"d":-0.0,"e":1E+2}"#,
            #"{ "z" : 1 , "a" : [ 1 , 2 ] ,\#n\#t"m" : { } }"#,
            #"{"k":1,"k":2,"K":{"x":1,"x":2}}"#,
            #"{"s":"\u00e9\/\\\"\n","t":"é","u":"\uD83D\uDE00","v":"😀"}"#,
            "{}",
        ])
    func verbatim(_ object: String) async throws {
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
            .appending(path: "../LiveActivityTests/Resources/JSONTestSuite/test_parsing")
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
