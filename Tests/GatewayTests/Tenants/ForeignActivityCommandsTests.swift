import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import RedisClient
import TestStore
import Testing

/// A stranger learns nothing from the time that an answer takes, because Redis gets the same commands for both.
@Suite(
    "Commands for another tenant's activity", .serialized,
    .disabled(if: StoreBackend.isCluster, "it reads the slow log of one server; the run without a cluster has it"))
struct ForeignActivityCommandsTests {
    private struct Call {
        let method: String
        let path: String
        let body: String?
    }

    /// The commands of a stranger's call that name the activity or the stranger.
    private func commands(
        _ stage: TestStage, _ call: Call, _ activity: String, of stranger: TenantSecrets
    ) async throws -> [String] {
        let keys = ["X-Api-Key": stranger.apiKey, "X-Sdk-Key": stranger.sdkKey, "Content-Type": "application/json"]
        _ = try await stage.redis(RedisCommand("SLOWLOG", "RESET"))
        let answer = try await stage.send(call.method, call.path, call.body, headers: keys)
        #expect(answer.status == 404, "\(call.path): \(answer.text)")
        let entries = try await stage.redis(RedisCommand("SLOWLOG", "GET", 1000)).array ?? []
        return entries.compactMap { command($0, activity, stranger.tenantID) }.sorted()
    }

    /// The name and keys of a command that names the activity or the stranger; nil for others.
    private func command(_ entry: RedisValue, _ activity: String, _ stranger: String) -> String? {
        guard let fields = entry.array, fields.count > 3, let words = fields[3].array?.map({ $0.string ?? "" }),
            words.contains(where: { $0.contains(activity) || $0.contains(stranger) }),
            // A gateway refreshes its copy of a tenant's event settings by itself.
            !words.contains(where: { $0.hasSuffix("}:on") })
        else { return nil }
        let keys =
            words[0].uppercased() == "EVALSHA" ? words.dropFirst().prefix(2 + (Int(words[2]) ?? 0)) : words[1...1]
        return ([words[0]] + keys).joined(separator: " ")
            .replacing(activity, with: "ID").replacing(/\{[0-9]+\}/, with: "{SHARD}")
    }

    /// Requests that name an activity, to every route that takes one.
    private func calls(_ stage: TestStage, _ activity: String) -> [Call] {
        var things = NamedThings.unknown
        things.activity = activity
        let targets = #""target_devices":[\#(TestStage.targets([0]))]"#
        let wrongType = #"{"activity_id":"\#(activity)","activity_type":"Other","content":\#(TestStage.content)}"#
        let further = [
            ("live-activity/update", TestStage.body(activity)), ("live-activity/update", wrongType),
            ("live-activity/update", TestStage.body(activity, more: targets)),
            ("live-activity/end", TestStage.body(activity)), ("live-activity/end", wrongType),
            ("live-activity/end", TestStage.body(activity, more: #""options":{"force":true}"#)),
            ("sdk/sync", TestStage.syncBody(0, #""activity_id":"\#(activity)","activity_type":"Other""#)),
            ("sdk/dismissed", TestStage.syncBody(0, #""activity_id":"\#(activity)""#)),
        ]
        let endpoints = stage.endpoints(.apiKey) + stage.endpoints(.sdkKey)
        return endpoints.compactMap { endpoint in
            let request = EndpointRequest(endpoint, naming: things)
            guard !TenantSeparationTests.own.contains(request.name),
                request.path.contains(activity) || request.body?.contains(activity) == true
            else { return nil }
            return Call(method: endpoint.method.rawValue, path: request.path, body: request.body)
        } + further.map { Call(method: "POST", path: "/api/v1/\($0)", body: $1) }
    }

    @Test("On every route, another tenant's activity takes the same commands as an unknown one")
    func everyRoute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let started = try await stage.register(2)
            #expect(try await stage.call("start", TestStage.body(started)).accepted == 2)
            for number in 0..<2 {
                let token = TestStage.syncBody(number, #""activity_id":"\#(started)""#)
                #expect(try await stage.report("POST", "sync", token).status == 200)
            }
            // The gateway now knows the kind of this activity.
            for _ in 0..<2 { #expect(try await stage.call("update", TestStage.body(started)).status == 200) }
            let registered = try await stage.register(2)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.store.devices.importDevices(
                [(TestStage.key(0), TestStage.phone, TestStage.startToken(0))], tenantID: other.tenantID)
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "slowlog-max-len", 2000))
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "slowlog-log-slower-than", 0))
            let strangers = calls(stage, NamedThings.unknown.activity)
            #expect(strangers.count > 20)
            for activity in [started, registered] {
                for (call, missing) in zip(calls(stage, activity), strangers) {
                    var (found, expected): ([String], [String]) = ([], ["-"])
                    // The gateway's own work may name the activity or the stranger as well, but hardly three times.
                    for _ in 0..<3 where found != expected {
                        // The gateway knows an activity only from calls of the activity's own tenant.
                        #expect(try await stage.call("update", TestStage.body(started)).status == 200)
                        found = try await commands(stage, call, activity, of: other)
                        expected = try await commands(stage, missing, NamedThings.unknown.activity, of: other)
                    }
                    #expect(found == expected, "\(call.method) \(call.path) \(call.body ?? "")")
                    if call.path.hasSuffix("/update") { #expect(!found.isEmpty) }
                }
            }
        }
    }
}
