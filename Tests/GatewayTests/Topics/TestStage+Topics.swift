import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

extension TestStage {
    /// Returns the request of a topic's owner.
    static func topic(
        _ state: String, _ number: Int = 0, alert: Bool = true, more: String = ""
    ) -> String {
        let alert = alert ? #""title":"Goal","message":"It is \#(number)","attributes":{"m":1},"# : ""
        return
            #"{"activity_type":"\#(type)","state":"\#(state)","content":{\#(alert)"content_state":{"n":\#(number).0}}\#(more)}"#
    }

    func put(_ topic: String, _ body: String, gateway: Int = 0) async throws -> Answer {
        try await topics("PUT", "/\(topic)", body, gateway: gateway)
    }

    func topics(
        _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json", gateway: Int = 0
    ) async throws -> Answer {
        try await send(
            method, "/api/v1/topics\(path)", body,
            headers: ["X-Api-Key": tenant.apiKey, "Content-Type": type], gateway: gateway)
    }

    /// Follows or unfollows a topic as a device's user.
    func follow(_ number: Int, _ topic: String, _ follows: Bool = true) async throws -> Answer {
        let key = TestStage.key(number)
        return try await report(follows ? "PUT" : "DELETE", "topics/\(topic)/follow", "{\(key.fields)}")
    }

    func follow(_ range: Range<Int>, _ topic: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in range {
                group.addTask {
                    let answer = try await self.follow(number, topic)
                    try #require(answer.status == 200, "\(answer.text)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// Replaces the list of followers of the topic `t` (PUT), adds to it (POST) or takes from it (DELETE).
    @discardableResult
    func changeFollowers(_ method: String, _ numbers: [Int], gateway: Int = 0) async throws -> Answer {
        let users = numbers.map { TestStage.key($0).insiderID + "\n" }.joined()
        let answer = try await topics(method, "/t/followers", users, type: "text/csv", gateway: gateway)
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// Returns the running activity of a topic once there is one.
    func activity(of topic: String) async throws -> String {
        var id: String?
        try await eventually {
            id = try await self.topics("GET", "/\(topic)")["activity_id"]?.string
            return id != nil
        }
        return try #require(id)
    }

    /// Waits until no gateway works on a topic any more.
    func settled(_ topic: String) async throws {
        let id = TopicID(tenantID: tenant.tenantID, name: topic)
        try await eventually { try await self.setup.store.topics.isSettled(id) }
    }

    /// Waits until lost Live Activities were searched for since the clock was set, and healed.
    func lookedAt(_ topic: String) async throws {
        let id = TopicID(tenantID: tenant.tenantID, name: topic)
        let now = clock?.now ?? .now()
        try await eventually { try await (self.setup.store.topics.topic(id)?.lookedAt ?? WallTime(seconds: 0)) >= now }
        try await settled(topic)
        try await settled()
    }

    /// Returns the state and the end reason of a device from the API's list.
    func state(_ number: Int, in activity: String) async throws -> (state: String?, reason: String?) {
        let answer = try await read("/api/v1/live-activity/\(activity)/devices?limit=1000")
        let mine = answer.elements("devices").first { $0.text("insider_id") == TestStage.key(number).insiderID }
        return (mine?.text("state"), mine?.text("end_reason"))
    }
}
