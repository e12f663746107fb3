import GatewayStore
import LiveActivity
import MockAPNs
import Testing

@Suite("Labels of activities and topics", .serialized)
struct LabelTests {
    private static let label = "Ajax \u{2013} PSV \u{26BD}\u{FE0F}"

    @Test("The name that an activity is registered with stands in its reply, in lists and in events")
    func activities() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(1)
            let ids = #""insider_ids":["\#(TestStage.key(0).insiderID)"],"ends_at":"\#(stage.endsAt())""#
            func register(_ more: String) async throws -> TestStage.Answer {
                try await stage.call("register", #"{"activity_type":"\#(TestStage.type)",\#(ids)\#(more)}"#)
            }
            let id = try #require(try await register(#","name":"\#(Self.label)""#)["activity_id"]?.string)
            let plain = try #require(try await register(#","name":" ""#)["activity_id"]?.string)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            var broadcasts: [String?] = []
            // The later ones are recorded without the router.
            for _ in 0..<4 {
                broadcasts.append(try await stage.call("update", TestStage.body(id))["broadcast_id"]?.string)
            }
            broadcasts.append(try await stage.call("end", TestStage.body(id))["broadcast_id"]?.string)
            let events = try await stage.events { seen in broadcasts.allSatisfy { seen.hasFinished($0) } }
            #expect(events.count > 10 && events.allSatisfy { $0.text("name") == Self.label })
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["name"]?.string == Self.label)
            #expect(try await stage.read("/api/v1/live-activity/\(plain)")["name"] == nil)
            let list = try await stage.read("/api/v1/live-activity").elements("activities")
            #expect(list.map { $0.text("name") } == [nil, Self.label])

            let longest = String(repeating: "\u{1F3DF}", count: 128)
            #expect(try await register(#","name":"\#(longest)""#).status == 200)
            for wrong in [#""\#(longest)x""#, "7", #"["a"]"#] {
                let answer = try await register(#","name":\#(wrong)"#)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("name must be") == true, "\(answer.text)")
            }
        }
    }

    @Test("A topic's name goes to its activity, and a new one changes nothing on any phone")
    func topics() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            func put(_ state: String, _ name: String?) async throws -> TestStage.Answer {
                try await stage.put("t", TestStage.topic(state, more: name.map { #","name":"\#($0)""# } ?? ""))
            }
            #expect(try await put("upcoming", Self.label)["name"]?.string == Self.label)
            #expect(try await stage.follow(0, "t").status == 200)
            #expect(try await put("live", Self.label).status == 200)
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["name"]?.string == Self.label)
            try await stage.settled()
            let renamed = try await put("live", "Final")
            #expect(renamed["name"]?.string == "Final" && renamed["unchanged"]?.bool == true, "\(renamed.text)")
            #expect(try await stage.topics("GET", "").elements("topics").map { $0.text("name") } == ["Final"])
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["name"]?.string == "Final")
            #expect(try await put("live", nil)["name"] == nil)
            #expect(try await stage.topics("GET", "/t")["name"] == nil)
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["name"] == nil)
            try await stage.settled()
            #expect(stage.pushes(.update).isEmpty)
            let long = String(repeating: "x", count: 129)
            #expect(try await put("live", long).code == "VALIDATION_FAILED")
        }
    }
}
