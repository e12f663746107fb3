import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@Suite(
    "Content at rest", .serialized,
    .disabled(if: StoreBackend.isCluster, "it reads the files of one server; the run without a cluster has it"))
struct ContentAtRestTests {
    @Test("Neither Redis's append-only file nor its keys hold content in clear: starts, updates, schedules, ends")
    func appendOnlyFile() async throws {
        var redis = RedisServerOptions()
        redis.persistence = .appendOnly
        try await TestStage.run(redis: redis) { stage in
            let secret = "halftime-score-4711"
            let content =
                #"{"title":"\#(secret)","message":"m","content_state":{"home":"\#(secret)"},"attributes":{"m":1}}"#
            try await stage.addDevices(2)
            let id = try await stage.register(2, options: #"{"catch_up":true,"heal":"dead_token"}"#)
            let start = try await stage.call("start", TestStage.body(id, content: content))
            #expect(start.accepted == 2, "\(start.text)")
            let files = "\(stage.directory)/redis/appendonlydir"
            func file() throws -> Data {
                try FileManager.default.contentsOfDirectory(atPath: files).reduce(into: Data()) { data, name in
                    data += try Data(contentsOf: URL(filePath: "\(files)/\(name)"))
                }
            }
            #expect(try await stage.sync(0, id).status == 200)
            _ = try await stage.schedule(id, #""offset":3600"#, content: content)
            #expect(try await stage.call("update", TestStage.body(id, content: content)).status == 200)
            #expect(try await stage.call("end", TestStage.body(id, content: content)).status == 200)
            for event in [MockPushEvent.start, .update, .end] {
                let payload = try #require(stage.pushes(event).last).payload
                #expect(String(decoding: payload, as: UTF8.self).contains(secret))
            }
            let bytes = try file()
            #expect(bytes.count > 1000)
            for text in [#""aps""#, #""content-state""#, secret] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) is in the append-only file")
            }
        }
    }
}
